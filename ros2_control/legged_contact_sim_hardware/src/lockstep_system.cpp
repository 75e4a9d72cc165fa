#include "legged_contact_sim_hardware/lockstep_system.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <string>
#include <vector>

#include <hardware_interface/types/hardware_interface_type_values.hpp>
#include <rclcpp/logging.hpp>
#include <rclcpp/qos.hpp>
#include <rclcpp/utilities.hpp>

namespace legged_contact_sim_hardware
{
namespace
{

using hardware_interface::CallbackReturn;
using hardware_interface::return_type;

constexpr double nanoseconds = 1e9;

std::int64_t stamp_of(const sensor_msgs::msg::JointState & state)
{
  return rclcpp::Time(state.header.stamp).nanoseconds();
}

bool told(const std::vector<double> & numbers, std::size_t k)
{
  return k < numbers.size() && std::isfinite(numbers[k]);
}

}  // namespace

CallbackReturn LockstepSystem::on_init(const hardware_interface::HardwareComponentInterfaceParams & params)
{
  if (SystemInterface::on_init(params) != CallbackReturn::SUCCESS) {
    return CallbackReturn::ERROR;
  }
  const auto given = [this](const std::string & name, const std::string & otherwise) {
    const auto & all = get_hardware_info().hardware_parameters;
    const auto found = all.find(name);
    return found == all.end() ? otherwise : found->second;
  };
  double rate = 0.0;
  try {
    rate = std::stod(given("command_rate", "500"));
    patience_ = std::chrono::duration<double>(std::stod(given("timeout", "10")));
  } catch (const std::exception &) {
    RCLCPP_ERROR(get_logger(), "command_rate, timeout: expected numbers");
    return CallbackReturn::ERROR;
  }
  if (!(rate > 0.0) || !(patience_.count() > 0.0)) {
    RCLCPP_ERROR(get_logger(), "command_rate, timeout: expected numbers > 0");
    return CallbackReturn::ERROR;
  }
  period_ = static_cast<std::int64_t>(std::llround(nanoseconds / rate));

  // A node of its own: it is spun by read, in the thread of the controllers, and by nobody else.
  node_ = rclcpp::Node::make_shared(get_hardware_info().name + "_lockstep");
  executor_ = std::make_unique<rclcpp::executors::SingleThreadedExecutor>();
  executor_->add_node(node_);
  commands_ =
    node_->create_publisher<JointState>(given("joint_commands_topic", "/robot_joint_commands"), rclcpp::QoS(10));
  states_ = node_->create_subscription<JointState>(
    given("joint_states_topic", "/robot_joint_states"), rclcpp::QoS(100),
    [this](JointState::ConstSharedPtr state) { latest_ = state; });

  for (const auto & joint : get_hardware_info().joints) {
    answer_.name.push_back(joint.name);
  }
  return CallbackReturn::SUCCESS;
}

CallbackReturn LockstepSystem::on_activate(const rclcpp_lifecycle::State & /*previous*/)
{
  answered_ = -1;
  latest_.reset();
  return CallbackReturn::SUCCESS;
}

bool LockstepSystem::is_due(std::int64_t stamp, std::int64_t now) const
{
  if (answered_ < 0 || stamp < answered_) {  // the first one, or time has gone back: a reset
    return stamp >= now || stamp < answered_;
  }
  return stamp >= answered_ + period_;
}

return_type LockstepSystem::read(const rclcpp::Time & time, const rclcpp::Duration & /*period*/)
{
  const auto begun = std::chrono::steady_clock::now();
  while (!latest_ || !is_due(stamp_of(*latest_), time.nanoseconds())) {
    if (!rclcpp::ok()) {
      return return_type::ERROR;
    }
    if (std::chrono::steady_clock::now() - begun > patience_) {
      RCLCPP_ERROR(
        get_logger(), "no joint state on %s for %.1f s: is the simulator running, with lockstep and this command_rate?",
        states_->get_topic_name(), patience_.count());
      return return_type::ERROR;
    }
    executor_->spin_once(std::chrono::milliseconds(100));
  }
  take(*latest_);
  return return_type::OK;
}

void LockstepSystem::take(const JointState & state)
{
  struct Quantity
  {
    const char * interface;
    const std::vector<double> & numbers;
  };
  const std::array<Quantity, 3> quantities{{
    {hardware_interface::HW_IF_POSITION, state.position},
    {hardware_interface::HW_IF_VELOCITY, state.velocity},
    {hardware_interface::HW_IF_EFFORT, state.effort},
  }};
  for (std::size_t k = 0; k < state.name.size(); ++k) {
    for (const auto & quantity : quantities) {
      const auto name = state.name[k] + "/" + quantity.interface;
      if (told(quantity.numbers, k) && has_state(name)) {
        set_state(name, quantity.numbers[k]);
      }
    }
  }
}

return_type LockstepSystem::write(const rclcpp::Time & /*time*/, const rclcpp::Duration & /*period*/)
{
  if (!latest_) {
    return return_type::OK;
  }
  answer_.position.clear();
  answer_.velocity.clear();
  answer_.effort.clear();
  // Numbers of the joints that have the interface, in the order of the names; NaN where no controller commands it.
  for (const auto & joint : get_hardware_info().joints) {
    for (const auto & interface : joint.command_interfaces) {
      const auto name = joint.name + "/" + interface.name;
      if (interface.name == hardware_interface::HW_IF_POSITION) {
        answer_.position.push_back(get_command<double>(name));
      } else if (interface.name == hardware_interface::HW_IF_VELOCITY) {
        answer_.velocity.push_back(get_command<double>(name));
      } else if (interface.name == hardware_interface::HW_IF_EFFORT) {
        answer_.effort.push_back(get_command<double>(name));
      }
    }
  }
  answered_ = stamp_of(*latest_);
  answer_.header.stamp = latest_->header.stamp;
  commands_->publish(answer_);
  return return_type::OK;
}

}  // namespace legged_contact_sim_hardware

#include <pluginlib/class_list_macros.hpp>
PLUGINLIB_EXPORT_CLASS(legged_contact_sim_hardware::LockstepSystem, hardware_interface::SystemInterface)
