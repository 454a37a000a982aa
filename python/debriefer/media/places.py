"""What the files of a video's evidence are called; nothing here loads a library."""

from __future__ import annotations

FRAMES_FOLDER = "_video_frames"
INPUT_FILE = "video_input.json"
TIMELINE_FILE = "timeline.txt"
STORE_FOLDER = "store"
