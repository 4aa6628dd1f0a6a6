import type { ErrorData } from '../../protocol/error.ts'
import type { Examination } from './examination.ts'
import { offers, type ModelList } from './list-models.ts'
import type { ServerHelp } from './server-help.ts'
import { tryModel, type Trial } from './try-model.ts'

export interface Evidence {
  /** As it is sent. */
  readonly model: string
  readonly list: ModelList
  readonly help: ServerHelp
  /** The endpoint's 401 or 403 to an empty request. */
  readonly refusal?: ErrorData
}

const KEY_PASSED = 'Nothing was refused for lack of a key.'

/** The key, the model, its answer, streaming and tools. */
export async function judgeModel(examination: Examination, evidence: Evidence): Promise<void> {
  const { findings, options } = examination
  if (evidence.model === '' && evidence.list.models) {
    const message = `No model is configured. ${listed(evidence.list.models)}`
    findings.fail('model', message, "Set 'model' to one of them.")
  }
  if (options.probe === false) {
    const message = 'Not tried: probe is false.'
    judgeKey(examination, evidence)
    judgeListing(examination, evidence)
    for (const name of ['answer', 'streaming', 'tools'] as const) findings.skip(name, message)
    return
  }
  const trial = await tryWithAndWithoutTools(examination, evidence.help)
  if (!trial.error) {
    findings.ok('path', 'A model endpoint answers there.')
    findings.ok('authentication', KEY_PASSED)
    return judgeAnswer(examination, evidence, trial)
  }
  judgeError(examination, evidence, trial.error)
  // An answer about something else means that the key, perhaps a fresh one, has passed.
  if (trial.error.details?.['status'] !== undefined) findings.ok('authentication', KEY_PASSED)
  judgeKey(examination, evidence)
  judgeListing(examination, evidence)
}

async function tryWithAndWithoutTools(examination: Examination, help: ServerHelp): Promise<Trial> {
  const { findings, config } = examination
  const { toolMode = 'auto' } = config
  if (toolMode === 'action') {
    findings.skip('tools', "toolMode is 'action': none are sent.")
    return tryModel(examination, 'action')
  }
  const trial = await tryModel(examination, 'native')
  if (trial.error?.code === 'tools-unsupported') {
    const message = `The server refuses tools: ${trial.error.message}`
    if (toolMode === 'native') findings.fail('tools', message, help.tools)
    else findings.warn('tools', `${message}\nACTION mode will be used in their place.`, help.tools)
    return tryModel(examination, 'action')
  }
  if (!trial.error) findings.ok('tools', 'The server takes tools.')
  return trial
}

function judgeAnswer({ findings }: Examination, evidence: Evidence, trial: Trial): void {
  const { model, list } = evidence
  findings.ok('answer', `${model || 'The model'} answered.`)
  if (/json/i.test(trial.contentType) && !/ndjson|jsonl/i.test(trial.contentType))
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

/** A failed trial, put down to the check that it belongs to. */
function judgeError({ findings }: Examination, evidence: Evidence, error: ErrorData): void {
  const { model, help, list } = evidence
  const { code, message } = error
  switch (code) {
    case 'authentication':
      return findings.fail('authentication', message)
    case 'permission-denied':
      return findings.fail('authentication', message, help.forbidden)
    case 'model-not-found': {
      const words = list.models ? `${message}\n${listed(list.models)}` : message
      return findings.fail('model', words, help.model(model))
    }
    case 'rate-limited':
    case 'overloaded':
      return findings.warn('answer', message, 'Wait a little; a local model may still be loading.')
    case 'stream-incomplete':
      return findings.fail('streaming', message, 'Look for a proxy that cuts or buffers streams.')
    case 'network':
      return findings.fail(
        'answer',
        'The server answers, but not to the real request: the connection broke, or that answer lacks its CORS headers.',
      )
    case 'bad-request':
      if (/\bstream(?:ing|ed)?\b/i.test(message)) return findings.fail('streaming', message)
      return findings.fail('answer', message)
    default:
      return findings.fail('answer', message)
  }
}

/** What the requests without a model tell of the key. */
function judgeKey({ findings }: Examination, { list, help, refusal }: Evidence): void {
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

/** Whether the server lists the model, where nothing better is known. */
function judgeListing({ findings }: Examination, { model, list, help }: Evidence): void {
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
