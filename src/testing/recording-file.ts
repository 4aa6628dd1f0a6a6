import type * as fileSystem from 'node:fs/promises'
import type { Agent } from '../client/api/agent.ts'
import { badConfig } from '../client/api/failures.ts'
import type { ModelConfig } from '../client/api/options.ts'
import { describeThrown, OffstageError } from '../protocol/error.ts'
import { readRecording } from './recording.ts'

/**
 * A recording in a folder. `replay()` plays the file. If the environment variable `OFFSTAGE_UPDATE=1` and `record` are
 * set, it records the run again instead.
 *
 * @example
 * const agent = createTestAgent({
 *   recording: { folder: 'test/runs', name: 'two mugs', record: (agent) => agent.run('Two mugs').result },
 *   model: { provider: 'ollama', model: 'qwen3:4b' }, // answers only while it is recorded
 *   tools,
 * })
 * await agent.replay()
 */
export interface RecordingFile {
  /** Path or `file:` URL. A missing folder is made. */
  readonly folder: string | URL
  /** The file's name, without `.jsonl`. */
  readonly name: string
  /**
   * Acts as the person, in one conversation, while the agent's `script` or `model` answers. The file is written when
   * the promise resolves. Default: the file is never written.
   */
  readonly record?: (agent: Agent) => Promise<unknown>
}

export function isRecordingFile(value: unknown): value is RecordingFile {
  return typeof value === 'object' && value !== null && 'folder' in value
}

/** Whether `replay()` records the file anew. */
export function isRecordedAnew({ record }: RecordingFile): boolean {
  return record !== undefined && environment()['OFFSTAGE_UPDATE'] === '1'
}

/** Reads the file. Throws `invalid-config` if it doesn't exist. */
export async function readText(file: RecordingFile): Promise<string> {
  const { path, fs } = resolveFile(file)
  const text = await readIfPresent(fs, path)
  if (text !== null) return text
  const hint = file.record ? 'Set OFFSTAGE_UPDATE=1 to record it.' : 'Pass `record` to record it.'
  throw badConfig(`There is no recording ${path}. ${hint}`)
}

/** Makes agents that read recordings. The model's key must not be written. */
interface RecordContext {
  readonly model: ModelConfig | undefined
  readonly createReader: () => Agent
}

/**
 * Lets `record` act as the person, and writes the conversation. Rejects and writes nothing in CI, or over a file that
 * isn't a recording or is from a newer version. Does the same after a run that failed or hasn't ended, if the recording
 * can't be replayed, and if it would contain a key.
 */
export async function recordAnew(
  agent: Agent,
  file: RecordingFile,
  { model, createReader }: RecordContext,
): Promise<void> {
  const { path, folder, fs } = resolveFile(file)
  const { CI } = environment()
  if (CI && CI !== 'false')
    throw badConfig('OFFSTAGE_UPDATE=1 records runs anew, which CI does not do.')
  const previousText = await readIfPresent(fs, path)
  if (previousText !== null)
    await readRecording(createReader, previousText).catch((error: Error) => {
      // Only a damaged recording may be replaced, nothing else that can't be replayed.
      if (!OffstageError.is(error.cause) || error.cause.code !== 'conversation-broken') throw error
    })
  await file.record?.(agent)
  const text = await new Response(await agent.conversations.export()).text()
  const fault = secretIn(text, model) ?? (await faultOf(createReader, text))
  if (fault !== null) throw new Error(`${path} was not written. ${fault}`)
  await fs.mkdir(folder, { recursive: true })
  await fs.writeFile(path, text)
}

/** Returns why a recording is unusable. Null if it can be replayed. */
async function faultOf(createReader: () => Agent, text: string): Promise<string | null> {
  try {
    const turns = await readRecording(createReader, text)
    const failure = turns.find((turn) => turn.failure)?.failure
    return failure === undefined ? null : `A run is no example. ${failure}`
  } catch (thrown) {
    return describeThrown(thrown)
  }
}

/** Matches names of secrets, but not folders (`PWD`, `OLDPWD`) and Git's authors. */
const SECRET_NAME = /key|token|secret|pass|(?<!^|^old)pwd|auth(?!or_)|credential|cookie|_pat$/i
/** Minimum length, because shorter values may be words of the conversation. */
const SHORTEST_SECRET = 8

/** Returns the name of a key (of the model or the environment) that the text contains. Null if it contains none. */
function secretIn(text: string, model: ModelConfig | undefined): string | null {
  const { apiKey, headers } = model ?? {}
  const sentHeaders = typeof headers === 'object' ? headers : {}
  const found = Object.entries({ ...environment(), ...sentHeaders, apiKey }).find(
    ([name, value]) => {
      if (!SECRET_NAME.test(name) || typeof value !== 'string') return false
      const secret = value.replace(/^\w+ (?=\S+$)/, '')
      return secret.length >= SHORTEST_SECRET && text.includes(JSON.stringify(secret).slice(1, -1))
    },
  )
  return found ? `It would hold the value of ${found[0]}: use \`redact\` or \`secretsIn\`.` : null
}

function environment(): Readonly<Record<string, string | undefined>> {
  return globalThis.process?.env ?? {}
}

type FileSystem = typeof fileSystem

interface FileLocation {
  readonly fs: FileSystem
  readonly folder: string
  readonly path: string
}

/** Characters that file names can't contain on some systems. */
const FORBIDDEN = /^\.|[\p{Cc}\\/:*?"<>|]/u

function resolveFile({ folder, name }: RecordingFile): FileLocation {
  // Bundlers for browsers refuse imports of Node's modules, even ones that never run.
  const builtin = globalThis.process?.getBuiltinModule
  if (!builtin) throw badConfig('Recordings in a folder need Node, version 20.16 or later.')
  if (name === '' || name.length > 200 || FORBIDDEN.test(name))
    throw badConfig(`A recording can't be named ${JSON.stringify(name)}, since files can't.`)
  const { join } = builtin('node:path')
  const folderPath = typeof folder === 'string' ? folder : builtin('node:url').fileURLToPath(folder)
  return {
    fs: builtin('node:fs/promises'),
    folder: folderPath,
    path: join(folderPath, `${name}.jsonl`),
  }
}

async function readIfPresent(fs: FileSystem, path: string): Promise<string | null> {
  try {
    return await fs.readFile(path, 'utf8')
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'ENOENT') return null
    throw error
  }
}
