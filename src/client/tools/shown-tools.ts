import type { AgentParts } from '../api/agent-parts.ts'
import type { AgentTool } from '../api/agent.ts'
import { cleanName } from './clean-name.ts'
import { usableDefinition } from './describe-tools.ts'
import { loadPart } from '../api/load-part.ts'
import type { PreparedTool } from './prepare-tool.ts'
import { type Listeners, notifyAll, type Source } from '../runs/snapshot-store.ts'

/**
 * Returns a source that reads an agent's tools from its registry. Listeners are notified until the agent is disposed.
 */
export async function showTools(
  { options, registry, agentEvents }: AgentParts,
  listeners?: Listeners,
): Promise<Source<readonly AgentTool[]>> {
  const { skills = [], tools, controlTools = [], questionFields } = options
  const [skillsPart, controlPart] = await Promise.all([
    skills.length > 0 ? loadPart(() => import('../features/skills-on-page.ts')) : undefined,
    controlTools.length > 0 ? loadPart(() => import('./control-tools.ts')) : undefined,
  ])
  skillsPart?.provideFiles(registry, skills)
  const isUsable = (entry: PreparedTool, enabled: readonly string[] | null): boolean =>
    usableDefinition(entry, { ...registry, enabledNames: enabled }, options) !== undefined
  const whyNot = (entry: PreparedTool): AgentTool['whyNot'] => {
    if (isUsable(entry, registry.enabledNames)) return undefined
    return isUsable(entry, null) ? 'not-enabled' : 'unavailable'
  }
  const list = (): AgentTool[] => {
    const registered = registry.all().map(({ tool, name, inputSchema }) => ({
      name,
      description: tool.description,
      inputSchema,
      ...(tool.title !== undefined && { title: tool.title }),
      annotations: tool.annotations ?? {},
      ...(tool.remote && { remote: tool.remote }),
    }))
    const control = controlPart?.controlDescriptors(controlTools, questionFields) ?? []
    const all: Listed[] = [
      ...(skillsPart?.withSkills<Listed>(registered, skills, tools) ?? registered),
      ...control,
    ]
    // Control tools aren't registered: the worker has them, and they are always enabled.
    return all.map((listed) => {
      const entry = registry.get(listed.name)
      return toAgentTool(listed, entry?.tool.name, entry && whyNot(entry))
    })
  }

  let notice: Promise<void> | undefined
  if (listeners)
    agentEvents.on('tools', () => {
      notice ??= Promise.resolve().then(() => {
        notice = undefined
        notifyAll(listeners)
      })
    })
  let current: readonly AgentTool[] = []
  return {
    read() {
      const next = list()
      if (JSON.stringify(next) !== JSON.stringify(current)) current = next
      return current
    },
    touch() {},
  }
}

type Listed = Omit<AgentTool, 'modelName' | 'enabled' | 'whyNot'>

function toAgentTool(
  { name: listedName, title, description, inputSchema, annotations, remote, skills }: Listed,
  name: string = listedName,
  whyNot?: AgentTool['whyNot'],
): AgentTool {
  const modelName = cleanName(name)
  return {
    name,
    ...(name !== modelName && { modelName }),
    ...(title !== undefined && { title }),
    description,
    inputSchema,
    annotations,
    ...(remote && { remote }),
    ...(skills && { skills }),
    enabled: whyNot === undefined,
    ...(whyNot && { whyNot }),
  }
}
