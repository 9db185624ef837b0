"""Prints Hermes's own index of the library in HERMES_HOME, to be measured as a whole process beside ours.

    cargo bench --bench index -- --beside 'hermes warm=PYTHON benches/hermes.py warm'

PYTHON has the package `hermes-agent`. Only its public functions are called. `cold` removes its snapshot first.
"""

import sys

from agent.prompt_builder import _skills_prompt_snapshot_path, build_skills_system_prompt

if sys.argv[1] == "cold":
    _skills_prompt_snapshot_path().unlink(missing_ok=True)
print(
    build_skills_system_prompt(
        available_tools={"terminal", "read_file", "skill_view", "skills_list"},
        available_toolsets={"terminal", "file", "skills"},
    )
)
