"""Bags: rosbag2 folders with an MCAP file that is whole after every write, and pictures of what is in them."""
