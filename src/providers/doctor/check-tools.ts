import { actionPrompt, createActionScanner, parseAction } from '../../action/index.ts'
import type { ErrorCode } from '../../protocol/error.ts'
import { withoutAdvice } from '../core/provider-error.ts'
import { readsTextCalls } from '../text-calls.ts'
import type { Examination } from './examination.ts'
import { CALL_TOKENS, probeModel, type ProbeResult, probeTool } from './probe-model.ts'
import { resolveToolName } from '../../action/foreign/foreign-call.ts'
import type { JsonValue } from '../../protocol/json.ts'
import { asRecord } from '../core/read-json.ts'
import type { CollectedTurn } from '../collect.ts'
import { type ToolCallFormat, detectToolCallFormat } from './dialects.ts'

const WEAK = 'Use a larger model, or one that was trained to call tools.'

/** Texts for an answer without a call. If a text has no `fix`, the model or its template is the cause. */
const NO_CALL_TEXTS: {
  readonly [type in Instead]: { readonly what: string; readonly fix?: string }
} = {
  words: { what: 'answered in words' },
  nothing: { what: 'gave an empty answer' },
  thoughts: {
    what: 'only thought, and gave no answer',
    fix: `Let it think less, or try it in a run. ${WEAK}`,
  },
  filtered: {
    what: 'or a filter of its server refused to answer',
    fix: 'Look into the filters of the server, or use another model.',
  },
  pause: { what: 'paused before it called', fix: 'Try it in a run, which resumes after a pause.' },
}

/** Errors that offered tools may cause even if the server doesn't say so. */
const FAILURES: ReadonlySet<ErrorCode> = new Set(['bad-request', 'server-error', 'provider-error'])

/**
 * Has the model call a tool, as a run would, and reports the result.
 *
 * @returns the first probe that the server accepted. It shows whether the model answers.
 */
export async function checkTools(examination: Examination, server: string): Promise<ProbeResult> {
  const { toolMode = 'auto' } = examination.config
  if (toolMode === 'action') return checkAction(examination)
  const advice = adviceFor(server)
  const result = await probeModel(examination, { kind: 'call' })
  if (result.error?.code === 'tools-unsupported')
    return reportRefusal(examination, withoutAdvice(result.error), server)
  if (result.error && FAILURES.has(result.error.code))
    return retryWithoutTools(examination, result, result.error.message)
  if (!result.error) reportVerdict(examination, judgeNative(result), advice)
  return result
}

/** Checks whether offering tools made the server fail: some chat templates can't render tools. */
async function retryWithoutTools(
  examination: Examination,
  failed: ProbeResult,
  refusalText: string,
): Promise<ProbeResult> {
  const result = await probeModel(examination, { kind: 'word' })
  if (result.error) return failed
  const message = `The server fails when tools are offered: ${refusalText}`
  examination.findings.fail('tools', message, "Set toolMode: 'action', or correct its template.")
  return result
}

async function checkAction(examination: Examination): Promise<ProbeResult> {
  const { findings } = examination
  const result = await probeAction(examination)
  if (result.error) return result
  if (isActionCall(result)) findings.ok('tools', 'The model called a tool in ACTION mode.')
  else findings.warn('tools', 'Asked for a call in ACTION mode, the model made none.', WEAK)
  return result
}

function probeAction(examination: Examination): Promise<ProbeResult> {
  return probeModel(examination, { kind: 'action', instructions: actionPrompt([probeTool]) })
}

async function reportRefusal(
  examination: Examination,
  refusalText: string,
  server: string,
): Promise<ProbeResult> {
  const { findings, config } = examination
  const { refused } = adviceFor(server, refusalText)
  const message = `The server refuses tools: ${refusalText}`
  const fix = `For native calls, ${refused}`
  if (config.toolMode === 'native') {
    findings.fail('tools', message, `${fix}\nElse set toolMode: 'auto'.`)
    return probeModel(examination, { kind: 'word' })
  }
  const result = await probeAction(examination)
  const outcome = result.error
    ? 'is used instead.'
    : isActionCall(result)
      ? 'is used instead, and the model called a tool in it.'
      : 'is used instead, but the model called no tool in it.'
  findings.warn('tools', `${message}\nACTION mode ${outcome}`, fix)
  return result
}

function reportVerdict(
  examination: Examination,
  verdict: Verdict,
  { asText, inWords }: ToolAdvice,
): void {
  const { findings, config } = examination
  switch (verdict.type) {
    case 'native':
      return findings.ok('tools', 'The model called a tool, and the server delivered the call.')
    case 'invalid':
      return findings.warn('tools', `The model's call can't be run. ${verdict.reason}`, WEAK)
    case 'text': {
      const { dialect, isRead } = verdict
      const format = dialect ? ` in the format of ${dialect.name}` : ''
      const message = `The model's call came as text${format}: the server does not parse it.`
      if (!isRead)
        return findings.fail('tools', `${message} Offstage can't read it.`, asText(dialect))
      if (!readsTextCalls(config, 'native')) {
        const cause = config.rescue === 'off' ? "rescue 'off'" : `provider '${config.provider}'`
        return findings.fail('tools', `${message} With ${cause} it isn't run.`, asText(dialect))
      }
      return findings.warn('tools', `${message} Runs can read it.`, asText(dialect))
    }
    case 'cut':
      return findings.warn(
        'tools',
        `The model used up its time or its ${CALL_TOKENS} tokens before calling the tool.`,
        'It thinks at length, or is slow: try it in a run, or let it think less.',
      )
    case 'none':
      return findings.warn(
        'tools',
        `Asked for a call, the model ${NO_CALL_TEXTS[verdict.instead].what}.`,
        NO_CALL_TEXTS[verdict.instead].fix ?? (inWords === undefined ? WEAK : `${inWords} ${WEAK}`),
      )
    default:
      verdict satisfies never
  }
}

/** Result of a request for a tool call. */
type Verdict =
  /** The server delivered a call that can be run. */
  | { readonly type: 'native' }
  /** The call can't be run, for this reason. */
  | { readonly type: 'invalid'; readonly reason: string }
  /** The call is in the text. `isRead`: the call is complete and in a format that can be read. */
  | { readonly type: 'text'; readonly isRead: boolean; readonly dialect?: ToolCallFormat }
  /** The answer was cut off before a call. */
  | { readonly type: 'cut' }
  | { readonly type: 'none'; readonly instead: Instead }

/** Kind of answer given instead of a call. `filtered`: a content filter, or a refusal that the vendor reports. */
type Instead = 'words' | 'nothing' | 'thoughts' | 'filtered' | 'pause'

const MAX_SHOWN = 200

/** Judges the answer to a request with native tools. */
function judgeNative({ turn, isLate }: ProbeResult): Verdict {
  const isCut = isLate || turn.finishReason === 'length'
  const [call] = turn.toolCalls
  if (call) {
    if (call.input !== undefined) return judgeInput(call.toolName, call.input)
    return isCut ? { type: 'cut' } : { type: 'invalid', reason: call.error.message }
  }
  const textVerdict = judgeText(turn)
  if (textVerdict) return textVerdict
  return isCut ? { type: 'cut' } : { type: 'none', instead: insteadOf(turn) }
}

function insteadOf({ text, reasoning, finishReason }: CollectedTurn): Instead {
  if (finishReason === 'content-filter') return 'filtered'
  if (finishReason === 'pause') return 'pause'
  if (text.trim() !== '') return 'words'
  return reasoning.trim() === '' ? 'nothing' : 'thoughts'
}

/** Whether the answer to a request in ACTION mode has the call. */
function isActionCall({ turn }: ProbeResult): boolean {
  const { text, finishReason } = turn
  const { calls } = parseAction(text, [probeTool], { finishReason })
  return calls.some(({ toolName }) => toolName === probeTool.name)
}

function judgeInput(toolName: string, input: JsonValue): Verdict {
  if (resolveToolName(toolName, [probeTool.name]) === undefined)
    return { type: 'invalid', reason: `It called the unknown tool '${shortened(toolName)}'.` }
  if (typeof asRecord(input)?.['value'] === 'number') return { type: 'native' }
  const text = shortened(JSON.stringify(input))
  return { type: 'invalid', reason: `The arguments don't fit the tool's schema: ${text}` }
}

function judgeText({ text, finishReason }: CollectedTurn): Verdict | undefined {
  if (!text.includes(probeTool.name)) return undefined
  const scanner = createActionScanner([probeTool], { rescue: true })
  const parts = [...scanner.push(text), ...scanner.end({ finishReason })]
  const isRead = parts.some((part) => part.type === 'tool-call' && part.input !== undefined)
  const dialect = detectToolCallFormat(text)
  // A text with neither a readable call nor a dialect's mark only mentions the tool.
  if (!isRead && !dialect) return undefined
  return { type: 'text', isRead, ...(dialect && { dialect }) }
}

function shortened(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}

/** Advice on how to make tool calls arrive as native calls. */
interface ToolAdvice {
  /** How to make the server accept tools. Completes the sentence "For native calls, ". */
  readonly refused: string
  /** Possible cause besides the model if the answer is plain text. An imperative sentence. */
  readonly inWords?: string
  /** Fix for a server that passes calls on as text. Imperative sentences. */
  readonly asText: (dialect: ToolCallFormat | undefined) => string
}

const TEMPLATE = "Try toolMode: 'action': the server's template may not show the model its tools."

const generic: ToolAdvice = {
  refused: 'set what these words ask for, or choose a model and a server that take tools.',
  inWords: TEMPLATE,
  asText: () =>
    "Look for the server's setting that has it parse the calls of this model, or use toolMode 'action'.",
}

/** Advice for hosted vendors, whose servers have no setting to change. */
const hosted: ToolAdvice = { refused: generic.refused, asText: generic.asText }

const VLLM_FLAGS = '--enable-auto-tool-choice --tool-call-parser'

/** Advises a parser for the call's format. If no parser is known, no server setting helps. */
function byParser(
  server: string,
  names: string | undefined,
  advise: (parser: string) => string,
): string {
  const [parser, ...otherParsers] = names?.split(' ') ?? []
  if (!parser)
    return `${server} has no parser that is known to read this format: use toolMode 'action', or another model.`
  const more = otherParsers.length === 0 ? '' : ` (for some models: ${otherParsers.join(', ')})`
  return advise(parser) + more
}

/**
 * Advice by server id. Sources, November 2026: llama.cpp's tools/server, vLLM's tool-calling page, SGLang's
 * tool-parser page, Ollama's server/images.go, LM Studio's tool-use page, LocalAI's functions page.
 */
const advice: { readonly [server: string]: ToolAdvice } = {
  openai: hosted,
  anthropic: hosted,
  minimax: hosted,
  gemini: hosted,
  ollama: {
    inWords: TEMPLATE,
    refused: "choose a model with the capability 'tools' (ollama show <model>).",
    asText: (dialect) => {
      const advise = (parser: string): string =>
        `The model's template or PARSER doesn't fit its calls: take it from Ollama's own library (ollama pull), or give the Modelfile the TEMPLATE, or RENDERER and PARSER, of that one (ollama show --modelfile).${parser === 'tools' ? '' : ` For this format: PARSER ${parser}`}`
      return dialect ? byParser('Ollama', dialect.ollama, advise) : advise('tools')
    },
  },
  lmstudio: {
    ...generic,
    asText: () =>
      'Update LM Studio and its runtime, and choose a model that it marks as trained for tool use.',
  },
  llamacpp: {
    inWords: TEMPLATE,
    refused: 'start llama-server with --jinja.',
    asText: (dialect) =>
      dialect && !dialect.llamacpp
        ? byParser('llama.cpp', undefined, String)
        : "Start llama-server with --jinja and without --skip-chat-parsing, and give it the model's own template: --chat-template-file <file>",
  },
  vllm: {
    inWords: TEMPLATE,
    refused: `start it with ${VLLM_FLAGS} <parser>, where <parser> is that of the model (https://docs.vllm.ai/en/latest/features/tool_calling.html).`,
    asText: (dialect) =>
      byParser(
        'vLLM',
        dialect?.vllm,
        (parser) => `Start it with the parser of this model: ${VLLM_FLAGS} ${parser}`,
      ),
  },
  sglang: {
    ...generic,
    asText: (dialect) =>
      byParser(
        'SGLang',
        dialect?.sglang,
        (parser) => `Start it with the parser of this model: --tool-call-parser ${parser}`,
      ),
  },
  localai: {
    ...generic,
    asText: (dialect) => {
      const templateAdvice =
        "In the model's configuration, use the model's own template (template.use_tokenizer_template: true)."
      const vllm = byParser('vLLM', dialect?.vllm, (parser) => `options: [tool_parser:${parser}]`)
      return `${templateAdvice} With the vLLM backend: ${vllm}`
    },
  },
}

/** Flags that a refusal may mention, each with the server software that has it. */
const serverFlags: readonly (readonly [words: RegExp, server: string])[] = [
  [/--enable-auto-tool-choice/, 'vllm'],
  [/--jinja/, 'llamacpp'],
]

/** @param refusal the server's message, if it refused tools. */
function adviceFor(server: string, refusal = ''): ToolAdvice {
  const serverAdvice = Object.hasOwn(advice, server) ? advice[server] : undefined
  // Other software may run under this server's name, and the refusal may identify it.
  if (serverAdvice && serverAdvice !== hosted) return serverAdvice
  const [, namedServer = ''] = serverFlags.find(([pattern]) => pattern.test(refusal)) ?? []
  return advice[namedServer] ?? serverAdvice ?? generic
}
