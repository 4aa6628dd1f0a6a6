import type { Compared } from './compared.ts'
import { isPlain, type Plain } from './plain.ts'

/** Fields of a snapshot in format 1. All others are new. */
const FIELDS = [
  'conversationId',
  'status',
  'pending',
  'runId',
  'paused',
  'error',
  'ownership',
] as const

/** Fields of stored messages that format 1 didn't show, for a while or at all. */
const SHOWN_SINCE: ReadonlySet<string> = new Set(['providerCallId', 'rescued', 'note', 'rawInput'])

/**
 * Reduces the snapshots of each view to the states it waits in, in order, and its last snapshot. The number of
 * snapshots in between depends on timing. The last snapshot keeps the fields of format 1 and the content of its
 * messages, without
 * - ids: format 1 gave an answer a new one when it was cut short;
 * - reasoning: format 1 didn't show it to late followers;
 * - messages that Offstage wrote for the model, which are hidden now;
 * - answers that were cut short: format 1 showed them at the end, with reasoning that isn't stored.
 */
export function withWaitsAndEnds(recording: Compared): Compared {
  const snapshots = Object.entries(recording.snapshots).map(([view, states]) => [
    view,
    [{ waits: waitsOf(states) }, ...states.slice(-1).map(asSaid)],
  ])
  return { ...recording, snapshots: Object.fromEntries(snapshots) as Compared['snapshots'] }
}

/** In the order of the calls, which was that of the questions. */
function waitsOf(states: readonly Plain[]): string[] {
  const waits = states.flatMap(({ pending, paused }) => {
    const calls = Array.isArray(pending) ? pending.filter(isPlain) : []
    const named = calls.map(({ kind, toolCallId }) => `${String(kind)} of ${String(toolCallId)}`)
    return [...named.toSorted(), ...(typeof paused === 'string' ? [paused] : [])].join(', ')
  })
  return waits.filter((wait, at) => wait !== '' && wait !== waits[at - 1])
}

function asSaid(snapshot: Plain): Plain {
  const fields = FIELDS.filter((field) => snapshot[field] !== undefined)
  const messages = Array.isArray(snapshot['messages']) ? snapshot['messages'].filter(isPlain) : []
  return {
    ...Object.fromEntries(fields.map((field) => [field, snapshot[field]])),
    messages: messages
      .filter(({ synthetic, partial }) => synthetic !== true && partial !== true)
      .map(({ role, parts }) => ({ role, parts: partsSaid(parts) }))
      .filter(({ parts }) => parts.length > 0),
  }
}

function partsSaid(parts: unknown): Plain[] {
  if (!Array.isArray(parts)) return []
  return parts
    .filter(isPlain)
    .filter(({ type }) => type !== 'reasoning')
    .map((part) =>
      Object.fromEntries(Object.entries(part).filter(([key]) => !SHOWN_SINCE.has(key))),
    )
}

/** Views that are meant to end otherwise, by scenario: what is shown is what is stored, and what is live. */
const SHOWN_OTHERWISE: { readonly [why: string]: readonly string[] } = {
  'imported messages are shown before a reload': [
    'a history of OpenAI up to its first message',
    'a history of Anthropic up to its first message',
    'a history of Offstage up to its first message',
    'a history whose calls are closed',
    'a history that is imported, cleared, and imported again',
    'a history of OpenAI with an open call',
    'a history of Anthropic with an open call',
    'a history of Offstage with an open call',
    'a run without a message: agreed to',
    'a run without a message: whose page crashes in the last text',
    'a run without a message: that is aborted',
  ],
  'whoever follows late is shown all of the run': [
    'a second agent follows at the first step',
    'a run without a message: reloaded, and agreed to',
    'a run without a message: that a second agent follows',
  ],
  'what other agents and other tabs do is shown': [
    'a second agent begins a run in the place of the first one’s',
    'another tab begins a run after the end',
    'another tab takes over in a text',
    'another tab takes over in a call',
    'another tab takes over in the second text',
    '27: another tab at text-delta 1 (ACTION)',
    '47: another tab at tool-result 1, then fewer tools at tool-result 1',
    'while a run answers, another tab resumes it',
    'while a run answers, another tab begins another run',
    'while a run answers, another tab begins another run after it',
    'while a run answers, another tab begins another run in its place',
    'while a run answers, another tab gives its consent',
    'while a run answers, another tab clears the history',
    'while a run asks for consent, another tab begins another run',
    'while a run asks for consent, another tab begins another run after it',
    'while a run asks for consent, another tab begins another run in its place',
    'while a run asks for consent, another tab clears the history',
  ],
  'an open run is shown that nobody drives, with what it waits for; not why another run was refused':
    [
      'disposal at the first step',
      'disposal in a thought',
      'disposal in a text',
      'disposal in a quick tool',
      'disposal in a tool that obeys',
      'disposal in a tool that does not',
      'disposal after some progress',
      'disposal after one of three calls',
      'disposal at a question',
      'disposal in the second step',
      '37: a reload at tool-call 1',
      'a reload while a person is asked',
      'an approval after a reload, of a run that nobody took up',
      'a run is refused for an open one after a reload',
      'one-shot: an output, and a reload before the other',
    ],
  'what was committed in the end is shown, and nothing of a run that never was': [
    'a full storage at run-started, and an abort',
    'a full storage at model-output, and an abort',
    'a full storage at call-settled, and an abort',
    'a full storage at run-ended, and an abort',
  ],
  'an answer before a closing tag that nobody opened does not vanish': [
    'a closing think tag that was never opened',
  ],
  'how a run ended before its conversation was joined is not shown, and joining fails once it is disposed':
    [
      'a value that is missing',
      'an empty message',
      'a history with an open call, after a reload',
      'a history that is cleared after a failure, before a reload',
      'disposal before anything',
    ],
  'what happens at once is shown at once': [
    'another tab deletes the conversation at a question',
    'while a run asks for consent, another tab deletes the conversation',
    'one-shot: two outputs',
    'one-shot: control tools and consent are handed over, too',
  ],
  'nothing is left to show of what another tab has deleted': [
    'another tab deletes the conversation in a text',
    'another tab deletes the conversation in a call',
    'another tab deletes the conversation in the second text',
    'while a run answers, another tab deletes the conversation',
  ],
  'what was asked for is shown at once, also by a page that dies before it knows more': [
    'the page dies before run-started',
    'the page dies after run-started',
    'the page dies before step-started',
    'the page dies after step-started',
    'a crash loop, and going on',
    'a crash loop, and an abort',
    'a crash loop, and a deletion',
    'a crash loop, and a run in its place',
    'a crash loop, a reload, and going on',
    'a crash loop that is left alone for a while',
  ],
  'the view is looked at when the recording reads the conversation, and not earlier': [
    'another tab gives its consent',
  ],
}

const shownOtherwise = new Set(Object.values(SHOWN_OTHERWISE).flat())

export function withoutOtherViews(recording: Compared, scenario: string): Compared {
  return shownOtherwise.has(scenario) ? { ...recording, snapshots: {} } : recording
}
