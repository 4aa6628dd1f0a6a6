import { badConfig } from '../client/failures.ts'
import type { McpOptions } from './options.ts'

const KINDS: { readonly [Name in keyof Required<McpOptions>]: RegExp } = {
  url: /^(string|object)$/,
  headers: /^object$/,
  token: /^function$/,
  auth: /^object$/,
  trusted: /^boolean$/,
  prefix: /^string$/,
  include: /^(array|function)$/,
  maxResultBytes: /^number$/,
  timeoutMs: /^number$/,
  elicitation: /^(ask_user|function)$/,
  resourceTools: /^boolean$/,
  pins: /^object$/,
  onDefinitionChange: /^function$/,
  onDiagnostic: /^function$/,
  fetch: /^function$/,
  signal: /^object$/,
}

/** Throws `invalid-config` for an unknown option or one of the wrong type. */
export function checkOptions(options: object, of: string = 'connectMcp'): void {
  if (typeof options !== 'object' || options === null) throw badConfig(`${of} needs options.`)
  for (const [name, value] of Object.entries(options)) {
    const kind = Object.hasOwn(KINDS, name) ? KINDS[name as keyof McpOptions] : undefined
    if (!kind) throw badConfig(`${of} has no ${name}. It has ${Object.keys(KINDS).join(', ')}.`)
    if (value !== undefined && !kind.test(kindOf(value)))
      throw badConfig(`${name} of ${of} is of the wrong kind.`)
  }
}

function kindOf(value: unknown): string {
  if (value === 'ask_user') return 'ask_user'
  if (typeof value === 'number') return value > 0 ? 'number' : 'not above 0'
  return Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value
}
