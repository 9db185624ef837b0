// A session with the command line of the protocol's inspector, a process a step, printed step by step.
//
// Usage: inspector.mjs INSPECTOR stdio PROGRAM ARGUMENT...
//        inspector.mjs INSPECTOR http URL TOKEN

import { spawnSync } from "node:child_process";

const [inspector, transport, target, ...rest] = process.argv.slice(2);
// The inspector hands down few variables by itself.
const handed = ["SKILLKEEP_HOME", "SKILLKEEP_CACHE"].filter((name) => process.env[name]);
const server =
  transport === "stdio"
    ? [target, ...rest, ...handed.flatMap((name) => ["-e", `${name}=${process.env[name]}`])]
    : [target, "--transport", "http", "--header", `Authorization: Bearer ${rest[0]}`];

function ask(method, ...more) {
  const all = [inspector, "--cli", ...server, "--method", method, ...more];
  const ran = spawnSync(process.execPath, all, { encoding: "utf8" });
  try {
    return JSON.parse(ran.stdout);
  } catch {
    return { status: ran.status, stdout: ran.stdout, stderr: ran.stderr };
  }
}

function call(name, input) {
  return ask("tools/call", "--tool-name", name, "--tool-args-json", JSON.stringify(input));
}

const show = (step, value) => console.log(`${step}: ${JSON.stringify(value)}`);
const some = (value, read) => {
  try {
    return read(value);
  } catch {
    return value;
  }
};

show("tools", some(ask("tools/list"), (it) => it.tools.map((tool) => tool.name)));
const found = call("skills_list", { query: "service goes out" });
show("found", some(found, (it) => it.structuredContent.skills.map((skill) => skill.name)));
const view = call("skill_view", { name: "deploy" }).structuredContent;
show("view", some(view, (it) => ({ name: it.name, hash: it.hash })));
const write = {
  name: "deploy",
  edits: [{ patch: { path: "SKILL.md", old: "Do it.", new: "Run it." } }],
};
const refused = call("skill_write", write);
show("write without a base", some(refused, (it) => ({ isError: it.isError, retry: JSON.parse(it.content[0].text).retry })));
const made = call("skill_write", { ...write, base: { "SKILL.md": view.hash } });
show("write", some(made, (it) => ({ outcome: it.structuredContent.outcome, change: it.structuredContent.change })));
show("rate", some(call("skill_rate", { name: "deploy", outcome: "success" }), (it) => it.structuredContent.outcome));
show("prompts", some(ask("prompts/list"), (it) => it.prompts.map((prompt) => prompt.name)));
const index = ask("prompts/get", "--prompt-name", "skills_index");
show("prompt names the skills", some(index, (it) => it.messages[0].content.text.includes("deploy")));
show("resources", some(ask("resources/list"), (it) => it.resources.map((resource) => resource.uri)));
const blob = "skill://claude/general/deploy/assets/odd.bin";
show("read", some(ask("resources/read", "--uri", blob), (it) => it.contents[0].blob));
const skills = ask("skills/list");
show("skills", some(skills, (it) => it.skills.map((skill) => skill.uri)));
const skill = ask("skills/get", "--uri", "skill://claude/general/deploy/SKILL.md");
show("skill", some(skill, (it) => it.skill ?? it));

// The inspector holds every skill to the extension, and every file to its hash.
const verified = spawnSync(process.execPath, [inspector, "--cli", ...server, "--method", "skills/list", "--verify"], { encoding: "utf8" });
const outcomes = verified.stdout.trim().split("\n").map((line) => JSON.parse(line).outcome);
show("verified", { status: verified.status, outcomes });
