import type { AgentParts } from '../api/agent-parts.ts'
import { nearest } from '../api/check-names.ts'
import { KEYWORDS, unknownKeywords } from './schema-keywords.ts'

/**
 * Warns developers once per tool about schema keywords that aren't part of JSON Schema. Checks only the app's tools.
 */
export function warnOfKeywords({ registry, agentEvents, signal }: AgentParts): void {
  const checked = new Set<string>()
  const check = (): void => {
    for (const { tool, name, inputSchema } of registry.all()) {
      if (checked.has(name) || tool.remote) continue
      checked.add(name)
      const unknown = [...new Set(unknownKeywords(inputSchema))]
      if (unknown.length === 0) continue
      const hints = unknown.map((keyword) => {
        const suggestion = nearest(keyword, KEYWORDS)
        return suggestion ? `${keyword} (did you mean ${suggestion}?)` : keyword
      })
      console.warn(
        `The inputSchema of the tool ${name} has keywords that JSON Schema doesn't know, so they check nothing: ${hints.join(', ')}.`,
      )
    }
  }
  check()
  agentEvents.on('tools', check, { signal })
}
