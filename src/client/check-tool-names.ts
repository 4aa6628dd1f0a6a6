import type { AgentConfig } from './agent-config.ts'
import { hintAmong } from './check-names.ts'
import type { ToolRegistry } from './tool-registry.ts'
import type { VerifierParts } from './verify.ts'

type Agent = Pick<VerifierParts, 'options' | 'warn'> & {
  readonly config: AgentConfig
  readonly registry: ToolRegistry
}

/** Returns a function that warns of names in `enabledTools` and `toolChoice` that no tool has, of each once. */
export function toolNameCheck({ config, options, registry, warn }: Agent): () => void {
  const warned = new Set<string>()
  const { controlTools = [], skills = [] } = options
  const ofSkills = skills.length > 0 ? ['activate_skill', 'read_skill_file'] : []
  const reserved: readonly string[] = [...controlTools, ...ofSkills]
  return () => {
    const { toolChoice } = config.model
    const chosen = typeof toolChoice === 'object' ? [toolChoice.toolName] : []
    for (const name of [...(registry.enabled ?? []), ...chosen]) {
      if (registry.get(name) || reserved.includes(name) || warned.has(name)) continue
      warned.add(name)
      const option = chosen.includes(name) ? 'toolChoice' : 'enabledTools'
      const known = registry.all().map((entry) => entry.name)
      warn(
        'unknown-tool',
        `${option} names ${name}, a tool that this agent does not have. ${known.length > 0 ? hintAmong(name, known) : ''}`.trim(),
      )
    }
  }
}
