"""A whole session with the protocol's official client for Python, printed step by step.

Usage: session.py MODE stdio PROGRAM ARGUMENT...
       session.py MODE http URL TOKEN

MODE is how a session begins: `legacy` is the handshake, `auto` asks what the server can do first.
"""

import asyncio
import base64
import hashlib
import json
import os
import sys

import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client


def show(step, value):
    print(f"{step}: {json.dumps(value, sort_keys=True, ensure_ascii=False)}")


async def refused(step, call):
    """What the client makes of an error of the protocol."""
    try:
        await call
    except MCPError as error:
        show(step, {"code": error.error.code, "message": error.error.message})
    else:
        show(step, "no error")


async def session(client):
    show("version", client.protocol_version)
    show("server", client.server_info.name)
    show("index names the skills", all(name in client.instructions for name in ("deploy", "notes")))

    tools = await client.list_tools()
    show("tools", [tool.name for tool in tools.tools])
    listed = await client.call_tool("skills_list", {"query": "service goes out"})
    show("found", [skill["name"] for skill in listed.structured_content["skills"]])
    view = await client.call_tool("skill_view", {"name": "deploy"})
    view = view.structured_content
    show("view", {key: view[key] for key in ("name", "files", "hash")})

    write = {
        "name": "deploy",
        "edits": [{"patch": {"path": "SKILL.md", "old": "Do it.", "new": "Run it."}}],
        "reason": "the script does it",
    }
    answer = await client.call_tool("skill_write", write)
    refusal = json.loads(answer.content[0].text)
    show("write without a base", {"error": answer.is_error, "retry": refusal["retry"], "next": refusal["next"]})
    answer = await client.call_tool("skill_write", write | {"base": {"SKILL.md": view["hash"]}})
    made = answer.structured_content
    show("write", {"error": answer.is_error, "outcome": made["outcome"], "change": made["change"]})
    answer = await client.call_tool("skill_rate", {"name": "deploy", "outcome": "success"})
    show("rate", answer.structured_content)
    await refused("unknown tool", client.call_tool("skill_burn", {}))

    prompts = await client.list_prompts()
    show("prompts", [prompt.name for prompt in prompts.prompts])
    prompt = await client.get_prompt("skills_index")
    show("prompt names the skills", "deploy" in prompt.messages[0].content.text)
    await refused("unknown prompt", client.get_prompt("index"))

    resources = await client.list_resources()
    show("resources", [str(resource.uri) for resource in resources.resources])
    for uri in ("skill://claude/general/deploy/SKILL.md", "skill://claude/general/deploy/assets/odd.bin"):
        content = (await client.read_resource(uri)).contents[0]
        text = getattr(content, "text", None)
        read = text.encode() if text is not None else base64.b64decode(content.blob)
        show("read", {"uri": uri, "text": text is not None, "sha256": hashlib.sha256(read).hexdigest()})
    await refused("unknown resource", client.read_resource("skill://claude/general/deploy/../../../id"))


async def main(mode, transport, target, *arguments):
    if transport == "stdio":
        # The client hands few variables down by itself.
        server = StdioServerParameters(command=target, args=list(arguments), env=dict(os.environ))
        async with Client(server, mode=mode) as client:
            await session(client)
        return
    headers = {"Authorization": f"Bearer {arguments[0]}"}
    async with httpx2.AsyncClient(headers=headers, trust_env=False) as http:
        async with Client(streamable_http_client(target, http_client=http), mode=mode) as client:
            await session(client)


asyncio.run(main(*sys.argv[1:]))
