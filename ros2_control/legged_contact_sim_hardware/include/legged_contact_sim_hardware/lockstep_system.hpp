#ifndef LEGGED_CONTACT_SIM_HARDWARE__LOCKSTEP_SYSTEM_HPP_
#define LEGGED_CONTACT_SIM_HARDWARE__LOCKSTEP_SYSTEM_HPP_

#include <chrono>
#include <cstdint>
#include <memory>

#include <hardware_interface/system_interface.hpp>
#include <rclcpp/executors/single_threaded_executor.hpp>
#include <rclcpp/node.hpp>
#include <rclcpp/publisher.hpp>
#include <rclcpp/subscription.hpp>
#include <sensor_msgs/msg/joint_state.hpp>

namespace legged_contact_sim_hardware
{

/// A robot simulated by legged_contact_sim in lockstep: every read waits for the state that is due, every write answers
/// it under its stamp, and the simulated time stands until then. One control period is one update of the controllers.
class LockstepSystem : public hardware_interface::SystemInterface
{
public:
  hardware_interface::CallbackReturn on_init(
    const hardware_interface::HardwareComponentInterfaceParams & params) override;
  hardware_interface::CallbackReturn on_activate(const rclcpp_lifecycle::State & previous) override;

  hardware_interface::return_type read(const rclcpp::Time & time, const rclcpp::Duration & period) override;
  hardware_interface::return_type write(const rclcpp::Time & time, const rclcpp::Duration & period) override;

private:
  using JointState = sensor_msgs::msg::JointState;

  /// Whether a state is the one to be answered next, at a controllers' time, ns.
  bool is_due(std::int64_t stamp, std::int64_t now) const;
  void take(const JointState & state);

  rclcpp::Node::SharedPtr node_;
  std::unique_ptr<rclcpp::executors::SingleThreadedExecutor> executor_;
  rclcpp::Publisher<JointState>::SharedPtr commands_;
  rclcpp::Subscription<JointState>::SharedPtr states_;
  JointState::ConstSharedPtr latest_;
  JointState answer_;
  std::int64_t answered_{-1};  // stamp of the last answer, ns; -1: none
  std::int64_t period_{0};     // between two answers, ns of simulated time
  std::chrono::duration<double> patience_{10.0};
};

}  // namespace legged_contact_sim_hardware

#endif  // LEGGED_CONTACT_SIM_HARDWARE__LOCKSTEP_SYSTEM_HPP_
