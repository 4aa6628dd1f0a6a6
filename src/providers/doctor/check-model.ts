import type { ErrorData } from '../../protocol/error.ts'
import type { Examination } from './examination.ts'
import { offers, type ModelList } from './list-models.ts'
import { probeModel, type ProbeResult } from './probe-model.ts'
import type { ServerHelp } from './server-help.ts'

export interface Evidence {
  /** As it is sent. */
  readonly model: string
  readonly list: ModelList
  readonly help: ServerHelp
  /** Whose software the server is, as far as it shows: a key of `helpFor`. */
  readonly server: string
  /** The endpoint's 401 or 403 to an empty request. */
  readonly refusal?: ErrorData
}

const KEY_PASSED = 'Nothing was refused for lack of a key.'

/**
 * The key, the model, its answer, streaming and tools.
 *
 * @param unlessSilent says nothing of the answer when there is none.
 * @returns false when it said nothing.
 */
export async function checkModel(
  examination: Examination,
  evidence: Evidence,
  { unlessSilent = false }: { readonly unlessSilent?: boolean } = {},
): Promise<boolean> {
  const { findings, options } = examination
  if (evidence.model === '' && evidence.list.models) {
    const message = `No model is configured. ${listed(evidence.list.models)}`
    findings.fail('model', message, "Set 'model' to one of them.")
  }
  if (options.probe === false) {
    const message = 'Not tried: probe is false.'
    checkKey(examination, evidence)
    checkListing(examination, evidence)
    for (const name of ['answer', 'streaming', 'tools'] as const) findings.skip(name, message)
    return true
  }
  const result = await askModel(examination, evidence.server)
  if (unlessSilent && result.error?.code === 'network') return false
  if (!result.error) {
    findings.ok('path', 'A model endpoint answers there.')
    findings.ok('authentication', KEY_PASSED)
    reportAnswer(examination, evidence, result)
    return true
  }
  reportError(examination, evidence, result.error)
  // An answer about something else means that the key, perhaps a fresh one, has passed.
  if (result.error.details?.['status'] !== undefined) findings.ok('authentication', KEY_PASSED)
  checkKey(examination, evidence)
  checkListing(examination, evidence)
  return true
}

/** Asks for a call, or for a word where no run would offer tools. */
async function askModel(examination: Examination, server: string): Promise<ProbeResult> {
  const { findings, config } = examination
  if (config.toolChoice === 'none') {
    findings.skip('tools', "toolChoice is 'none': no call is wanted.")
    return probeModel(examination, { ask: 'word' })
  }
  // Brings the reader of calls in text, for this check only.
  const part = await import('./check-tools.ts').catch(() => undefined)
  if (part) return part.checkTools(examination, server)
  findings.skip('tools', "The doctor's file for this check could not be loaded.")
  return probeModel(examination, { ask: 'word' })
}

function reportAnswer({ findings }: Examination, evidence: Evidence, result: ProbeResult): void {
  const { model, list } = evidence
  findings.ok('answer', `${model || 'The model'} answered.`)
  if (/json/i.test(result.contentType) && !/ndjson|jsonl/i.test(result.contentType))
    findings.warn(
      'streaming',
      'The server answers in one piece though asked to stream: text appears only at the end.',
      'Look for a proxy or setting that turns streaming off.',
    )
  else findings.ok('streaming', 'The answer was streamed.')
  const { models } = list
  if (models && models.length > 0 && !offers(models, model))
    findings.warn('model', `The server answered, but does not list ${model}. ${listed(models)}`)
  else findings.ok('model', `${model || 'The model'} can be used.`)
}

/** Reports a failed probe under the check that it belongs to. */
function reportError({ findings }: Examination, evidence: Evidence, error: ErrorData): void {
  const { model, help, list } = evidence
  const { code, message } = error
  switch (code) {
    case 'authentication':
      return findings.fail('authentication', message)
    case 'permission-denied':
      return findings.fail('authentication', message, help.forbidden)
    case 'model-not-found': {
      const text = list.models ? `${message}\n${listed(list.models)}` : message
      return findings.fail('model', text, help.model(model))
    }
    case 'rate-limited':
    case 'overloaded':
      return findings.warn(
        'answer',
        `The model has not answered yet: ${message}`,
        'Wait a little, then check again; a local model may still be loading.',
      )
    case 'stream-incomplete':
      return findings.fail('streaming', message, 'Look for a proxy that cuts or buffers streams.')
    case 'network':
      return findings.fail(
        'answer',
        'The server answers, but not to the real request: the connection broke, or that answer lacks its CORS headers.',
      )
    case 'bad-request':
      if (/\bstream(?:ing|ed)?\b/i.test(message)) return findings.fail('streaming', message)
      return findings.fail('answer', message, systemAdvice(message))
    default:
      return findings.fail('answer', message, systemAdvice(message))
  }
}

/** Words of a server or a template that has no system messages. */
const NO_SYSTEM = /\bsystem (?:role|message|prompt|instruction)|\brole\W{1,4}system\b/i

function systemAdvice(message: string): string | undefined {
  if (!NO_SYSTEM.test(message)) return undefined
  return "The agent's instructions, and ACTION mode, need a system message: use another model or chat template. Without them, runs may work."
}

/** What the requests without a model show of the key. */
function checkKey({ findings }: Examination, { list, help, refusal }: Evidence): void {
  if (findings.has('authentication')) return
  if (refusal)
    return findings.fail(
      'authentication',
      refusal.message,
      refusal.code === 'permission-denied' ? help.forbidden : undefined,
    )
  if (list.status === 401) return findings.fail('authentication', 'The list of models needs a key.')
  findings.ok('authentication', KEY_PASSED)
}

/** Whether the server lists the model, where the probe decided nothing. */
function checkListing({ findings }: Examination, { model, list, help }: Evidence): void {
  const { models } = list
  if (findings.has('model') || !models || model === '') return
  if (offers(models, model)) return findings.ok('model', `The server lists ${model}.`)
  if (help.ignoresModel)
    return findings.warn('model', `The server serves its own model. ${listed(models)}`)
  const message = `The server does not have ${model}. ${listed(models)}`
  findings.fail('model', message, help.model(model))
}

function listed(models: readonly string[]): string {
  if (models.length === 0) return 'It has no models.'
  const more = models.length > 20 ? ` and ${models.length - 20} more` : ''
  return `It has: ${models.slice(0, 20).join(', ')}${more}.`
}
