import { isRecord } from '../lib/shape.ts'
import { shortWords } from './failures.ts'
import type { ServerInfo } from './line.ts'
import type { Fields } from './wire.ts'

/**
 * Reads a server's description of itself (`Implementation` in MCP's schema). Limits its length and removes hidden
 * characters.
 */
export function readServerInfo(
  said: unknown,
  about: {
    readonly protocolVersion: string
    readonly capabilities: Fields
    readonly instructions: unknown
  },
): ServerInfo {
  const { name, title, version } = isRecord(said) ? said : {}
  const { protocolVersion, capabilities, instructions } = about
  return {
    name: textOf(name, 100) ?? 'mcp',
    ...optional('title', textOf(title, 100)),
    ...optional('version', textOf(version, 100)),
    ...optional('instructions', textOf(instructions, 20_000)),
    protocolVersion,
    capabilities,
  }
}

function textOf(value: unknown, limit: number): string | undefined {
  return typeof value === 'string' && value !== '' ? shortWords(value, limit) : undefined
}

function optional<Name extends string>(
  name: Name,
  value: string | undefined,
): { readonly [Key in Name]?: string } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [Key in Name]?: string })
}
