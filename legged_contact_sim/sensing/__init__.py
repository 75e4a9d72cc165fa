"""What a robot's sensors tell: IMU, joint encoders, foot contact, height scan. Exact unless errors are asked for."""

from .described import described_imus
from .encoders import EncoderReading, Encoders, EncoderSettings
from .foot_contacts import FootContacts, FootSettings
from .height_scan import HeightScan, ScanSettings
from .imperfections import NoiseSettings
from .imu import Imu, ImuReading, ImuSettings

__all__ = [
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
    "described_imus",
]
