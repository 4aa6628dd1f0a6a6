import { actionPrompt } from '../../action/index.ts'
import type { ErrorCode } from '../../protocol/error.ts'
import { withoutAdvice } from '../core/provider-error.ts'
import { readsTextCalls } from '../text-calls.ts'
import type { Examination } from './examination.ts'
import { isActionCall, judgeNative, type Instead, type Verdict } from './judge-call.ts'
import { CALL_TOKENS, probeModel, probeTool, type ProbeResult } from './probe-model.ts'
import { adviceFor, type ToolAdvice } from './tool-advice.ts'

const WEAK = 'Use a larger model, or one that was trained to call tools.'

/** Without a `fix`, the model or its template is to blame. */
const INSTEAD: { readonly [type in Instead]: { readonly what: string; readonly fix?: string } } = {
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
  pause: { what: 'paused before it called', fix: 'Try it in a run, which goes on after a pause.' },
}

/** What tools may be the cause of, though the server doesn't say so. */
const FAILURES: ReadonlySet<ErrorCode> = new Set(['bad-request', 'server-error', 'provider-error'])

/**
 * Has the model call a tool, as a run would, and reports what became of the call.
 *
 * @returns the probe that shows whether the model answers: the first that the server took.
 */
export async function checkTools(examination: Examination, server: string): Promise<ProbeResult> {
  const { toolMode = 'auto' } = examination.config
  if (toolMode === 'action') return checkAction(examination)
  const advice = adviceFor(server)
  const result = await probeModel(examination, { ask: 'call' })
  if (result.error?.code === 'tools-unsupported')
    return reportRefusal(examination, withoutAdvice(result.error), server)
  if (result.error && FAILURES.has(result.error.code))
    return retryWithoutTools(examination, result, result.error.message)
  if (!result.error) reportVerdict(examination, judgeNative(result), advice)
  return result
}

/** Whether the tools were what the server failed at: a template that can't render them, say. */
async function retryWithoutTools(
  examination: Examination,
  failed: ProbeResult,
  words: string,
): Promise<ProbeResult> {
  const result = await probeModel(examination, { ask: 'word' })
  if (result.error) return failed
  const message = `The server fails when tools are offered: ${words}`
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
  return probeModel(examination, { ask: 'action', instructions: actionPrompt([probeTool]) })
}

async function reportRefusal(
  examination: Examination,
  words: string,
  server: string,
): Promise<ProbeResult> {
  const { findings, config } = examination
  const { refused } = adviceFor(server, words)
  const message = `The server refuses tools: ${words}`
  const fix = `For native calls, ${refused}`
  if (config.toolMode === 'native') {
    findings.fail('tools', message, `${fix}\nElse set toolMode: 'auto'.`)
    return probeModel(examination, { ask: 'word' })
  }
  const result = await probeAction(examination)
  const how = result.error
    ? 'is used in their place.'
    : isActionCall(result)
      ? 'is used in their place, and the model called a tool in it.'
      : 'is used in their place, but the model called no tool in it.'
  findings.warn('tools', `${message}\nACTION mode ${how}`, fix)
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
        return findings.fail('tools', `${message} Nor can it be read here.`, asText(dialect))
      if (!readsTextCalls(config, 'native')) {
        const cause = config.rescue === 'off' ? "rescue 'off'" : `provider '${config.provider}'`
        return findings.fail('tools', `${message} With ${cause} it isn't run.`, asText(dialect))
      }
      return findings.warn('tools', `${message} Runs read it there.`, asText(dialect))
    }
    case 'cut':
      return findings.warn(
        'tools',
        `The model had not called the tool when its time or its ${CALL_TOKENS} tokens were used up.`,
        'It thinks at length, or is slow: try it in a run, or let it think less.',
      )
    case 'none':
      return findings.warn(
        'tools',
        `Asked for a call, the model ${INSTEAD[verdict.instead].what}.`,
        INSTEAD[verdict.instead].fix ?? (inWords === undefined ? WEAK : `${inWords} ${WEAK}`),
      )
    default:
      verdict satisfies never
  }
}
