"""Small legged robots as URDF text, with every feature that real descriptions have."""

import numpy as np

INERTIAL = """<inertial><origin xyz="{center}"/><mass value="{mass}"/>
  <inertia ixx="{moment}" iyy="{moment}" izz="{moment}" ixy="0" ixz="0" iyz="0"/></inertial>"""


def link(name, mass, moment, center="0 0 0", inside=""):
    return f'<link name="{name}">{INERTIAL.format(mass=mass, moment=moment, center=center)}{inside}</link>'


def joint(name, parent, child, place, axis, limits, kind="revolute"):
    lower, upper, effort = limits
    return f"""<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>
      <origin xyz="{place}"/><axis xyz="{axis}"/>
      <limit lower="{lower}" upper="{upper}" effort="{effort}" velocity="20"/></joint>"""


def collision(shape, place="0 0 0", name=""):
    named = f' name="{name}"' if name else ""
    return f'<collision{named}><origin xyz="{place}"/><geometry>{shape}</geometry></collision>'


def quadruped(knee=("-2.7", "-0.6", "40"), foot='<sphere radius="0.02"/>', shift="0 0 0", extra="", feet_turn=False):
    """A quadruped of 12 kg whose calves have boxes that reach lower than the centres of its feet.

    With ``feet_turn`` the feet are wheels.
    """
    belly = collision('<box size="0.4 0.2 0.1"/>')
    text = [link("trunk", 8, 0.1, shift, belly)]
    for leg, x, y in (("FL", 0.2, 0.1), ("FR", 0.2, -0.1), ("RL", -0.2, 0.1), ("RR", -0.2, -0.1)):
        side = 0.08 if y > 0 else -0.08
        text += [
            joint(f"{leg}_hip_joint", "trunk", f"{leg}_hip", f"{x} {y} 0", "1 0 0", ("-0.8", "0.8", "40")),
            link(f"{leg}_hip", 0.5, 0.001),
            joint(f"{leg}_thigh_joint", f"{leg}_hip", f"{leg}_thigh", f"0 {side} 0", "0 1 0", ("-2", "3", "40")),
            link(f"{leg}_thigh", 0.4, 0.004, "0 0 -0.1"),
            joint(f"{leg}_calf_joint", f"{leg}_thigh", f"{leg}_calf", "0 0 -0.2", "0 1 0", knee),
            link(f"{leg}_calf", 0.05, 0.001, "0 0 -0.1", collision('<box size="0.02 0.02 0.21"/>', "0 0 -0.1")),
            joint(
                *(f"{leg}_foot_fixed", f"{leg}_calf", f"{leg}_foot", "0 0 -0.2", "0 1 0"),
                *(("0", "0", "20" if feet_turn else "0"), "continuous" if feet_turn else "fixed"),
            ),
            link(f"{leg}_foot", 0.05, 0.0001, "0 0 0", collision(foot)),
        ]
    return f'<robot name="dog">{"".join(text)}{extra}</robot>'


def biped(
    ankle_effort=80, pitch_first=False, chest_is_root=False, size=1.0, sole="0.2 0.1 0.02", without=(), shift="0 0 0"
):
    """A biped of 30 kg with flat feet, hands and a head; its hip turns about z, x, y, or about y, x, z.

    Its lengths times ``size``; ``without`` names joints that each leg lacks, ``shift`` moves the chest's mass.
    """

    def at(*place):
        return " ".join(str(size * number) for number in place)

    waist = ("chest", "pelvis", at(0, 0, -0.1)) if chest_is_root else ("pelvis", "chest", at(0, 0, 0.1))
    x, y, z = map(float, shift.split())
    chest_box = collision(f'<box size="{at(0.2, 0.3, 0.4)}"/>', at(0, 0, 0.2))
    text = [link("pelvis", 8, 0.1), joint("waist", *waist, "0 0 1", ("-1", "1", "60"))]
    text += [link("chest", 10, 0.2, at(x, y, 0.2 + z), chest_box)]
    for side, y in (("left", 0.1), ("right", -0.1)):
        chain = (
            ("hip_yaw", "pelvis", (0, y, 0), "0 0 1", ("-1", "1", "60"), 0.5, (0, 0, 0)),
            ("hip_roll", "hip_yaw", (0, 0, 0), "1 0 0", ("-1", "1", "60"), 0.5, (0, 0, 0)),
            ("hip_pitch", "hip_roll", (0, 0, 0), "0 1 0", ("-2", "1", "90"), 1.5, (0, 0, -0.2)),
            ("knee", "hip_pitch", (0, 0, -0.4), "0 1 0", ("0", "2.4", "90"), 1.5, (0, 0, -0.2)),
            ("ankle_pitch", "knee", (0, 0, -0.4), "0 1 0", ("-1.2", "0.8", ankle_effort), 0.2, (0, 0, 0)),
            ("ankle_roll", "ankle_pitch", (0, 0, 0), "1 0 0", ("-0.5", "0.5", ankle_effort), 0.3, (0, 0, -0.03)),
        )
        if pitch_first:
            (yaw, _, _, _, yaw_limits, *_), roll, (pitch, _, _, _, limits, *_), *rest = chain
            first = (pitch, "pelvis", (0, y, 0), "0 1 0", limits, 0.5, (0, 0, 0))
            turned = (yaw, "hip_roll", (0, 0, 0), "0 0 1", yaw_limits, 1.5, (0, 0, -0.2))
            below = (rest[0][0], yaw, *rest[0][2:])
            chain = (first, (roll[0], pitch, *roll[2:]), turned, below, *rest[1:])
        chain = [part for part in chain if part[0] not in without]
        carrier, offset = "pelvis", np.array([0.0, y, 0.0])
        for name, _, place, axis, limits, mass, center in chain:
            place = offset if carrier == "pelvis" else place
            foot = collision(f'<box size="{sole}"/>', at(0.03, 0, -0.06)) if name == chain[-1][0] else ""
            text += [joint(f"{side}_{name}_joint", carrier, f"{side}_{name}", at(*place), axis, limits)]
            text += [link(f"{side}_{name}", mass, 0.01, at(*center), foot)]
            carrier = f"{side}_{name}"
        text += [joint(f"{side}_shoulder", "chest", f"{side}_arm", at(0, 2.2 * y, 0.35), "0 1 0", ("-3", "3", "30"))]
        hand = collision(f'<sphere radius="{0.04 * size}"/>', at(0, 0, -0.5))
        text += [link(f"{side}_arm", 1.5, 0.02, at(0, 0, -0.25), hand)]
    return f'<robot name="man">{"".join(text)}</robot>'
