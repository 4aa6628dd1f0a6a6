import { enter, leave } from './world/globals.ts'
import { Tabs } from './world/tabs.ts'
import { World } from './world/world.ts'
import type { Row } from '../../src/protocol/fact.ts'
import type { ModelRequest } from '../../src/providers/provider.ts'
import { named } from './names.ts'
import type { RecordedConversation, RecordedRequest, RecordedRow, Recording } from './recording.ts'
import { network } from './stage/network.ts'
import { Stage, type Setup } from './stage/stage.ts'

export interface Scenario extends Setup {
  readonly name: string
  /** Actions of users, pages and workers. Default: one run to its end. */
  play?(stage: Stage): Promise<unknown>
}

/** Plays a scenario in a world of its own. */
export async function record(scenario: Scenario): Promise<Recording> {
  const world = new World()
  enter(world, {
    fetch: network(scenario.server ?? []),
    tabs: scenario.locks ? new Tabs(world) : null,
  })
  const stage = new Stage(world, scenario)
  try {
    const play = scenario.play ?? (async (on: Stage) => on.end(on.run()))
    const recording = await within(stage, async () => {
      await play(stage)
      // The last notices and rows need some time to arrive.
      await stage.pause(200)
      return named(await recordingOf(stage))
    })
    await within(stage, () => stage.dispose())
    return recording
  } catch (cause) {
    throw new Error(`"${scenario.name}" could not be recorded. ${soFar(stage)}`, { cause })
  } finally {
    leave()
  }
}

function soFar({ runs }: Stage): string {
  const last = runs.map(({ events }) => events.at(-1)?.type ?? 'nothing')
  return `The last events of its runs: ${last.join(', ')}.`
}

async function within<Value>(stage: Stage, work: () => Promise<Value>): Promise<Value> {
  let outcome: { readonly value: Value } | { readonly thrown: unknown } | undefined
  void work().then(
    (value) => (outcome = { value }),
    (thrown: unknown) => (outcome = { thrown }),
  )
  await stage.world.until(() => {
    stage.look()
    return outcome !== undefined
  })
  if (outcome && 'value' in outcome) return outcome.value
  throw outcome?.thrown
}

async function recordingOf(stage: Stage): Promise<Recording> {
  const conversations: Record<string, RecordedConversation> = {}
  for (const id of await stage.storage.conversationIds()) {
    const stored = await stage.agent.conversations.get(id)
    const rows = await stage.storage.rows(id)
    if (stored && stored.lastSeq !== rows.length) throw new Error(`${id} has ${rows.length} rows.`)
    conversations[id] = { journal: rows.map(rowOf), stored }
  }
  return {
    runs: stage.runs.map(({ run: _run, ...recorded }) => recorded),
    conversations,
    snapshots: stage.snapshots,
    requests: stage.model.requests.map(requestOf),
    executions: stage.executions,
    answers: stage.answers,
    notices: stage.notices,
  }
}

function rowOf(stored: Row, index: number): RecordedRow {
  const { format: _f, conversationId: _c, appendId: _a, seq, ...row } = stored
  if (seq !== index + 1) throw new Error(`Row ${seq} stands in place ${index + 1}.`)
  return row
}

function requestOf(
  request: ModelRequest,
  index: number,
  all: readonly ModelRequest[],
): RecordedRequest {
  const { messages, toolMode, trailer } = request
  const before = all[index - 1]?.messages ?? []
  const texts = before.map((message) => JSON.stringify(message))
  const first = messages.findIndex((message, at) => JSON.stringify(message) !== texts[at])
  const sameAsBefore = first < 0 ? messages.length : first
  return {
    sameAsBefore,
    messages: messages.slice(sameAsBefore),
    ...(toolMode === 'action' && { toolMode }),
    ...(trailer !== undefined && { trailer }),
  }
}
