import { badConfig, badInput } from '../client/api/failures.ts'
import type { Skill, SkillFile } from '../client/features/skill.ts'
import { untilAborted } from '../client/runs/until-aborted.ts'
import { OffstageError, describeThrown } from '../protocol/error.ts'
import { isPath, textProblem } from './check-skill.ts'
import { defineSkill } from './define-skill.ts'
import {
  type FrontMatter,
  type FrontValue,
  readFrontMatter,
  type SkillDiagnostic,
} from './front-matter.ts'

/** Options of `loadSkill`: files and tools for the skill, and whether its text is part of the app's code. */
export interface LoadSkillOptions extends Pick<Skill, 'tools' | 'restrictTools'> {
  /** Files as in `defineSkill`, or paths relative to the SKILL.md. Paths are fetched when the model reads them. */
  readonly files?: readonly string[] | { readonly [path: string]: SkillFile }
  /** False if the text is part of the app's own code, for example imported by a bundler. Default true. */
  readonly loaded?: boolean
  /** Aborts loading. */
  readonly signal?: AbortSignal
}

/** Skill that `loadSkill` has read, ready for `createAgent({ skills })`. */
export interface LoadedSkill extends Skill {
  readonly metadata: SkillMetadata
}

/**
 * Loads a skill from a SKILL.md (https://agentskills.io/specification), given as text or as a URL relative to the page.
 * Problems in its front matter are in `metadata.diagnostics`. Rejects with `invalid-input` if it is no SKILL.md or has
 * no valid name, description or instructions (`details.diagnostics`). Also rejects with `aborted`, with
 * `invalid-config` for wrong options, and with `network`, `bad-response` or `response-too-large` if fetching fails.
 */
export async function loadSkill(
  source: string | URL,
  options: LoadSkillOptions = {},
): Promise<LoadedSkill> {
  const { files, signal, loaded = true, tools, restrictTools } = options
  const address = addressOf(source)
  const readSource = async (): Promise<string> =>
    address ? fetchText(address, signal) : String(source)
  const text = await (signal ? untilAborted(readSource, signal) : readSource())
  const frontMatter = readFrontMatter(text)
  const { metadata, diagnostics } = readMetadata(frontMatter, address)
  const instructions = frontMatter.body.trim()
  const [name, description] = [frontMatter.values.get('name'), textOf(frontMatter, 'description')]
  const problem = textProblem({ name, description, instructions })
  if (problem !== null || typeof name !== 'string') throw invalidSkill(problem ?? '', diagnostics)
  const skill = defineSkill({
    name,
    description,
    instructions,
    metadata,
    loaded,
    ...(files && { files: isList(files) ? fileFetchers(files, address) : files }),
    ...(tools && { tools }),
    ...(restrictTools && { restrictTools }),
  })
  return { ...skill, metadata }
}

/** Returns the URL of the SKILL.md; null if `source` is its text. A text has several lines or begins with `---`. */
function addressOf(source: string | URL): URL | null {
  if (typeof source === 'string' && /[\r\n]|^\uFEFF?---/.test(source)) return null
  try {
    return new URL(source, globalThis.document?.baseURI ?? globalThis.location?.href)
  } catch (cause) {
    throw new OffstageError(
      'invalid-input',
      `${JSON.stringify(String(source).slice(0, 100))} is neither the text of a SKILL.md nor its address.`,
      { cause },
    )
  }
}

function textOf({ values }: FrontMatter, name: string): string {
  const value = values.get(name)
  return typeof value === 'string' ? value.trim() : ''
}

function invalidSkill(problem: string, diagnostics: readonly SkillDiagnostic[]): OffstageError {
  const lines = diagnostics.map(({ line, message }) => `Line ${line}: ${message}`)
  const details = { diagnostics: diagnostics.map((each) => ({ ...each })) }
  return new OffstageError('invalid-input', [problem, ...lines].join('\n'), { details })
}

function isList(files: LoadSkillOptions['files']): files is readonly string[] {
  return Array.isArray(files)
}

/** Functions that fetch the files, relative to the SKILL.md. */
function fileFetchers(
  paths: readonly string[],
  address: URL | null,
): { readonly [path: string]: SkillFile } {
  if (!address)
    throw badConfig('files of a skill that is given as text must be texts or functions by path.')
  return Object.fromEntries(
    paths.map((path) => {
      if (!isPath(path)) throw badConfig(`${JSON.stringify(path)} is no path beside the SKILL.md.`)
      const file = new URL(path.split('/').map(encodeURIComponent).join('/'), address)
      return [path, ({ signal }: { readonly signal: AbortSignal }) => fetchText(file, signal)]
    }),
  )
}

const MAX_COMPATIBILITY = 500

/** Further fields of a SKILL.md, besides its name, description and instructions. They have no effect. */
export interface SkillMetadata {
  readonly license?: string
  readonly compatibility?: string
  /** The field `allowed-tools`, for information only. It allows no tools. */
  readonly allowedTools?: readonly string[]
  readonly metadata?: { readonly [name: string]: string }
  /** Problems found while reading the file. */
  readonly diagnostics: readonly SkillDiagnostic[]
}

interface MetadataResult {
  readonly metadata: SkillMetadata
  readonly diagnostics: readonly SkillDiagnostic[]
}

const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  'name',
  'description',
  'license',
  'compatibility',
  'allowed-tools',
  'metadata',
])

/** `address`: URL of the SKILL.md, if it has one. */
function readMetadata(
  { values, lines, diagnostics }: FrontMatter,
  address: URL | null,
): MetadataResult {
  const allDiagnostics = [...diagnostics]
  const reportField = (name: string, reason: string): void => {
    allDiagnostics.push({ line: lines.get(name) ?? 1, message: `The field ${name} ${reason}.` })
  }
  for (const name of values.keys()) if (!KNOWN_FIELDS.has(name)) reportField(name, 'is not known')
  const textField = (name: string, maxLength = Infinity): string | undefined => {
    const value = values.get(name)
    if (value === undefined || (typeof value === 'string' && value.length <= maxLength))
      return value || undefined
    reportField(
      name,
      `is no text${maxLength < Infinity ? ` of ${maxLength} characters at most` : ''}`,
    )
    return undefined
  }
  const license = textField('license')
  const compatibility = textField('compatibility', MAX_COMPATIBILITY)
  const allowedTools = toolNames(values.get('allowed-tools'))
  if (allowedTools === null) reportField('allowed-tools', 'is no list of names')
  const map = values.get('metadata')
  if (map !== undefined && map !== '' && !isMap(map)) reportField('metadata', 'is no map of texts')
  const name = values.get('name')
  const folder = address?.pathname.split('/').at(-2)
  if (folder && folder !== name) reportField('name', `is not the one of its folder, ${folder}`)
  const metadata = {
    ...(license !== undefined && { license }),
    ...(compatibility !== undefined && { compatibility }),
    ...(allowedTools && { allowedTools }),
    ...(isMap(map) && { metadata: map }),
    diagnostics: allDiagnostics,
  }
  return { metadata, diagnostics: allDiagnostics }
}

/**
 * Names from a list, or from a string that separates them by spaces or commas. Spaces in parentheses belong to a name.
 * Null for any other value.
 */
function toolNames(value: FrontValue | undefined): readonly string[] | null | undefined {
  if (value === undefined || Array.isArray(value)) return value
  if (typeof value !== 'string') return null
  const names: string[] = []
  let name = ''
  let depth = 0
  for (const character of `${value} `) {
    if (character === '(') depth++
    if (character === ')') depth--
    if (depth > 0 || !/[\s,]/.test(character)) name += character
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

/** Maximum bytes of a skill's text. */
const MAX_BYTES = 1_000_000

/**
 * Fetches a text. Rejects with `invalid-input` if the address is not HTTP(S), `network` without an answer,
 * `bad-response` for a status other than 2xx or an answer from another origin, and `response-too-large`.
 */
async function fetchText(address: URL, signal?: AbortSignal): Promise<string> {
  if (!/^https?:$/.test(address.protocol))
    throw badInput(`A skill is fetched over HTTP, not from ${address.protocol}`)
  const shownUrl = address.origin + address.pathname
  try {
    const response = await fetch(address, signal ? { signal } : {})
    if (!response.ok) throw badResponse(`${shownUrl} answered with status ${response.status}.`)
    // Refuses redirects to other origins, because the app trusts only the origin that it names.
    if (response.url !== '' && new URL(response.url).origin !== address.origin)
      throw badResponse(`${shownUrl} leads to ${new URL(response.url).origin}, another origin.`)
    return await readText(response, shownUrl)
  } catch (thrown) {
    if (OffstageError.is(thrown)) throw thrown
    const message = `${shownUrl} could not be fetched: ${describeThrown(thrown)}`
    throw new OffstageError('network', message, { retryable: true, cause: thrown })
  }
}

async function readText({ body }: Response, shownUrl: string): Promise<string> {
  if (!body) return ''
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return text + decoder.decode()
      bytes += value.length
      if (bytes > MAX_BYTES)
        throw new OffstageError(
          'response-too-large',
          `${shownUrl} has more than ${MAX_BYTES} bytes.`,
        )
      text += decoder.decode(value, { stream: true })
    }
  } finally {
    reader.cancel().catch(() => undefined)
  }
}

function badResponse(message: string): OffstageError {
  return new OffstageError('bad-response', message)
}
