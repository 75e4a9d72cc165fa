# The package on ROS 2 Jazzy:   docker build -t legged_contact_sim .   then
#   docker run --rm -it --net=host legged_contact_sim ros2 launch legged_contact_sim quadruped_trot.launch.py
FROM ros:jazzy-ros-base

RUN apt-get update && apt-get install -y --no-install-recommends python3-venv \
    ros-jazzy-control-msgs ros-jazzy-tf2-msgs ros-jazzy-xacro \
    && rm -rf /var/lib/apt/lists/*

# numba and numpy fit together only as pip has them; the environment sees ROS 2's own Python packages.
RUN python3 -m venv --system-site-packages /opt/venv
ENV PATH=/opt/venv/bin:$PATH

WORKDIR /workspace/src/legged_contact_sim
COPY . .
RUN pip install --no-cache-dir "numpy>=1.26" "scipy>=1.11" "numba>=0.59" "PyYAML>=6" "urdf_parser_py>=0.0.4"
WORKDIR /workspace
RUN . /opt/ros/jazzy/setup.sh && python3 -m colcon build \
    --base-paths src/legged_contact_sim src/legged_contact_sim/interfaces/messages

RUN printf '#!/bin/sh\n. /opt/ros/jazzy/setup.sh\n. /workspace/install/setup.sh\nexec "$@"\n' > /entry.sh && chmod +x /entry.sh
ENTRYPOINT ["/entry.sh"]
CMD ["ros2", "launch", "legged_contact_sim", "quadruped_trot.launch.py"]
