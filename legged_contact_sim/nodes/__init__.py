"""ROS 2 nodes: they convert messages and call the library; the only place that imports rclpy."""
