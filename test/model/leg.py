"""One leg as URDF text, small enough to break in a test by replacing a piece of it."""

LEG = """<?xml version="1.0" encoding="utf-8"?>
<robot name="leg">
  <link name="body">
    <inertial><mass value="4"/><inertia ixx="0.1" iyy="0.2" izz="0.25" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <link name="shank">
    <inertial>
      <origin xyz="0 0 -0.2" rpy="0 0 0"/>
      <mass value="1.5"/>
      <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </link>
  <link name="foot">
    <inertial><mass value="0.5"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision name="sole"><geometry><sphere radius="0.02"/></geometry></collision>
  </link>
  <joint name="hip" type="revolute">
    <origin xyz="0.1 0 0" rpy="0 0 0"/>
    <parent link="body"/>
    <child link="shank"/>
    <axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" effort="30" velocity="8"/>
    <dynamics damping="0.3" friction="0.1"/>
  </joint>
  <joint name="ankle" type="fixed">
    <origin xyz="0 0 -0.4" rpy="0 0 0"/>
    <parent link="shank"/>
    <child link="foot"/>
  </joint>
</robot>
"""


def leg_with(old, new):
    """Return LEG with the one place where `old` stands replaced by `new`."""
    assert LEG.count(old) == 1, f"{old!r} stands {LEG.count(old)} times in LEG"
    return LEG.replace(old, new)


def leg_plus(elements):
    """Return LEG with more elements in its `<robot>`."""
    return LEG.replace("</robot>", f"{elements}</robot>")
