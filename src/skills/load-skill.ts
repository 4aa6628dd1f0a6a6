import { badConfig } from '../client/failures.ts'
import type { Skill, SkillFile } from '../client/skill.ts'
import { untilAborted } from '../client/until-aborted.ts'
import { OffstageError } from '../protocol/error.ts'
import { isPath, textProblem } from './check-skill.ts'
import { defineSkill } from './define-skill.ts'
import type { SkillDiagnostic } from './diagnostic.ts'
import { fetchText } from './fetch-text.ts'
import { type FrontMatter, readFrontMatter } from './front-matter.ts'
import { readMetadata, type SkillMetadata } from './skill-metadata.ts'

export interface LoadSkillOptions extends Pick<Skill, 'tools' | 'restrictTools'> {
  /** Files as in `defineSkill`, or paths relative to the SKILL.md that are fetched when the model reads them. */
  readonly files?: readonly string[] | { readonly [path: string]: SkillFile }
  /** False if the text is part of the app's own code, for example imported by a bundler. Default true. */
  readonly loaded?: boolean
  /** Aborts loading. */
  readonly signal?: AbortSignal
}

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
  const read = async (): Promise<string> => (address ? fetchText(address, signal) : String(source))
  const text = await (signal ? untilAborted(read, signal) : read())
  const front = readFrontMatter(text)
  const { metadata, diagnostics } = readMetadata(front, address)
  const instructions = front.body.trim()
  const [name, description] = [front.values.get('name'), textOf(front, 'description')]
  const problem = textProblem({ name, description, instructions })
  if (problem !== null || typeof name !== 'string') throw unusable(problem ?? '', diagnostics)
  const skill = defineSkill({
    name,
    description,
    instructions,
    metadata,
    loaded,
    ...(files && { files: isList(files) ? fetchedFiles(files, address) : files }),
    ...(tools && { tools }),
    ...(restrictTools && { restrictTools }),
  })
  return { ...skill, metadata }
}

/** URL of the SKILL.md; null if `source` is its text. A URL has one line and doesn't begin with `---`. */
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

function unusable(problem: string, diagnostics: readonly SkillDiagnostic[]): OffstageError {
  const lines = diagnostics.map(({ line, message }) => `Line ${line}: ${message}`)
  const details = { diagnostics: diagnostics.map((each) => ({ ...each })) }
  return new OffstageError('invalid-input', [problem, ...lines].join('\n'), { details })
}

function isList(files: LoadSkillOptions['files']): files is readonly string[] {
  return Array.isArray(files)
}

/** Functions that fetch the files, relative to the SKILL.md. */
function fetchedFiles(
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
