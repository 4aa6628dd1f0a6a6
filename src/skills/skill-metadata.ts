import type { SkillDiagnostic } from './diagnostic.ts'
import type { FrontMatter, FrontValue } from './front-matter.ts'

const MAX_COMPATIBILITY = 500

/** Further fields of a SKILL.md, beside its name, description and instructions. They have no effect. */
export interface SkillMetadata {
  readonly license?: string
  readonly compatibility?: string
  /** The field `allowed-tools`, for people to read. It allows no tool. */
  readonly allowedTools?: readonly string[]
  readonly metadata?: { readonly [name: string]: string }
  /** Problems found while reading the file. */
  readonly diagnostics: readonly SkillDiagnostic[]
}

interface Read {
  readonly metadata: SkillMetadata
  readonly diagnostics: readonly SkillDiagnostic[]
}

const KNOWN: ReadonlySet<string> = new Set([
  'name',
  'description',
  'license',
  'compatibility',
  'allowed-tools',
  'metadata',
])

/** `address`: URL of the SKILL.md, if it has one. */
export function readMetadata(
  { values, lines, diagnostics }: FrontMatter,
  address: URL | null,
): Read {
  const all = [...diagnostics]
  const leaveOut = (name: string, why: string): void => {
    all.push({ line: lines.get(name) ?? 1, message: `The field ${name} ${why}.` })
  }
  for (const name of values.keys()) if (!KNOWN.has(name)) leaveOut(name, 'is not known')
  const text = (name: string, most = Infinity): string | undefined => {
    const value = values.get(name)
    if (value === undefined || (typeof value === 'string' && value.length <= most))
      return value || undefined
    leaveOut(name, `is no text${most < Infinity ? ` of ${most} characters at most` : ''}`)
    return undefined
  }
  const license = text('license')
  const compatibility = text('compatibility', MAX_COMPATIBILITY)
  const allowedTools = toolNames(values.get('allowed-tools'))
  if (allowedTools === null) leaveOut('allowed-tools', 'is no list of names')
  const map = values.get('metadata')
  if (map !== undefined && map !== '' && !isMap(map)) leaveOut('metadata', 'is no map of texts')
  const name = values.get('name')
  const folder = address?.pathname.split('/').at(-2)
  if (folder && folder !== name) leaveOut('name', `is not the one of its folder, ${folder}`)
  const metadata = {
    ...(license !== undefined && { license }),
    ...(compatibility !== undefined && { compatibility }),
    ...(allowedTools && { allowedTools }),
    ...(isMap(map) && { metadata: map }),
    diagnostics: all,
  }
  return { metadata, diagnostics: all }
}

/**
 * Names from a list, or from a text with spaces or commas between them. Spaces in parentheses belong to a name. Null:
 * neither a list nor a text.
 */
function toolNames(value: FrontValue | undefined): readonly string[] | null | undefined {
  if (value === undefined || Array.isArray(value)) return value
  if (typeof value !== 'string') return null
  const names: string[] = []
  let name = ''
  let depth = 0
  for (const sign of `${value} `) {
    if (sign === '(') depth++
    if (sign === ')') depth--
    if (depth > 0 || !/[\s,]/.test(sign)) name += sign
    else if (name !== '') {
      names.push(name)
      name = ''
    }
  }
  return name === '' ? names : [...names, name.trim()]
}

function isMap(value: FrontValue | undefined): value is { readonly [name: string]: string } {
  return typeof value === 'object' && !Array.isArray(value)
}
