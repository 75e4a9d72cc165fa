"""What a robot's sensors measure: IMU, encoders, foot contact, base velocity, height scan. Exact by default."""

from .base_velocity import BaseVelocity, VelocityReading, VelocitySettings
from .described import described_imus
from .encoders import EncoderReading, Encoders, EncoderSettings
from .foot_contacts import FootContacts, FootSettings
from .height_scan import HeightScan, ScanSettings
from .imperfections import NoiseSettings
from .imu import Imu, ImuReading, ImuSettings

__all__ = [
    "BaseVelocity",
    "EncoderReading",
    "EncoderSettings",
    "Encoders",
    "FootContacts",
    "FootSettings",
    "HeightScan",
    "Imu",
    "ImuReading",
    "ImuSettings",
    "NoiseSettings",
    "ScanSettings",
    "VelocityReading",
    "VelocitySettings",
    "described_imus",
]
