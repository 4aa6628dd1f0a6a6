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
  /** As of `defineSkill`; or paths beside the SKILL.md, which are fetched when the model reads them. */
  readonly files?: readonly string[] | { readonly [path: string]: SkillFile }
  /** False: the text is of the app's own code, as a bundler imports it. Default true. */
  readonly loaded?: boolean
  /** Aborts loading. */
  readonly signal?: AbortSignal
}

export interface LoadedSkill extends Skill {
  readonly metadata: SkillMetadata
}

/**
 * A skill of a SKILL.md (https://agentskills.io/specification): its text, or its address, relative to the page.
 * What of its front matter can't be taken is in `metadata.diagnostics`. Rejects with `invalid-input` when it is no
 * SKILL.md or has no valid name, description or instructions (`details.diagnostics`), with `aborted`, with
 * `invalid-config` for wrong options, and with `network`, `bad-response` or `response-too-large` when it can't be fetched.
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

/** Null: it is the text itself. An address has one line, and no front matter begins it. */
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

/** Each at its path beside the SKILL.md. */
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
