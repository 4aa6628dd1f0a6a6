import type { Compared } from './compared.ts'
import { isPlain, type Plain } from './plain.ts'

/** Applies a change to each object in some data, from the innermost outwards. */
function mapObjects<Value>(value: Value, change: (object: Plain) => Plain): Value {
  const mapped = (each: unknown): unknown => {
    if (Array.isArray(each)) return each.map(mapped)
    if (!isPlain(each)) return each
    return change(Object.fromEntries(Object.entries(each).map(([key, at]) => [key, mapped(at)])))
  }
  return mapped(value) as Value
}

/**
 * Drops the new fields of a store's record: `format`, `era`, and `taint` on reading. Also drops `lastSeq`, which counts
 * rows, some of them new; recording a scenario checks it. Drops `epoch`, too: it counts claims, and a tab that asks the
 * run's owner makes none.
 */
export function withoutNewRecordFields(recording: Compared): Compared {
  return mapObjects(recording, (object) => {
    if (!('openCalls' in object)) return object
    const {
      format: _format,
      era: _era,
      lastSeq: _seq,
      epoch: _epoch,
      taint: _taint,
      ...record
    } = object
    return record
  })
}

/** A partial answer holds what the model thought, too. */
export function withoutPartialThoughts(recording: Compared): Compared {
  const { snapshots, ...rest } = recording
  const changed = mapObjects(rest, (object) => {
    const { partial, parts } = object
    if (partial !== true || !Array.isArray(parts)) return object
    return { ...object, parts: (parts as Plain[]).filter(({ type }) => type !== 'reasoning') }
  })
  return { ...changed, snapshots }
}

/**
 * Imported results are stored as one message behind that of their calls. Format 1 stored them as they were
 * handed over, and made one message of them when they were read.
 */
export function withImportedResultsAsRead(recording: Compared): Compared {
  return mapObjects(recording, (object) => {
    const { type, messages } = object
    if (type !== 'messages-imported' || !Array.isArray(messages)) return object
    const read: Plain[] = []
    for (const { id, ...message } of messages as Plain[]) {
      const last = read.at(-1)
      if (message['role'] !== 'tool') read.push({ ...message, id })
      else if (last?.['role'] !== 'tool') read.push(message)
      else read.splice(-1, 1, { ...last, parts: [...partsOf(last), ...partsOf(message)] })
    }
    return { ...object, messages: read }
  })
}

function partsOf({ parts }: Plain): unknown[] {
  return Array.isArray(parts) ? parts : []
}

/** Times are compared where nobody waits for what a page shows. */
export function withoutTimes(recording: Compared): Compared {
  return mapObjects(
    recording,
    ({ at: _at, createdAt: _created, updatedAt: _updated, ...rest }) => rest,
  )
}

/** A tab that follows a run isn't warned when it is to resume it. */
export function withoutWarningsOfFollowers(recording: Compared): Compared {
  const notices = (recording.notices as Plain[]).filter(({ code }) => code !== 'owned-elsewhere')
  return { ...recording, notices }
}

/**
 * A server's words end in a full stop before the advice that is given with them, a call that was cut off is told so once, and
 * a list says what it is of.
 */
export function withSentences(recording: Compared): Compared {
  return mapObjects(recording, (object) => {
    const { message } = object
    if (typeof message !== 'string') return object
    const now = message
      .replace(/\w(?=\n(Check|Use) )/, '$&.')
      .replace(' It was not run. Send it again, with shorter arguments if they were long.', '')
      .replace('options (array, optional)', 'options (list of string, optional)')
    return { ...object, message: now }
  })
}

/** A provider came since: a message that names all of them names it, too. */
export function withProviders(recording: Compared): Compared {
  return mapObjects(recording, (object) => {
    const { message } = object
    if (typeof message !== 'string') return object
    return { ...object, message: message.replace('Known here: openai,', '$& gemini,') }
  })
}

/**
 * The warning that an endpoint refuses tools comes with the answer, and ends with the endpoint's words; the form of its
 * requests is stored, what a request lost, and which endpoint wrote what it gave with a message.
 */
export function withoutRefusals(recording: Compared): Compared {
  return withoutRefusal(recording) as Compared
}

function withoutRefusal(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((one) => !isRefusal(one)).map(withoutRefusal)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([name]) => name !== 'form' && name !== 'losses')
  return Object.fromEntries(
    entries.map(([name, one]) => [
      name,
      withoutRefusal(name === 'providerMetadata' ? withoutOrigins(one) : one),
    ]),
  )
}

function isRefusal(value: unknown): boolean {
  return (value as Plain | null)?.['code'] === 'tools-refused'
}

function withoutOrigins(metadata: unknown): unknown {
  return Object.fromEntries(
    Object.entries(metadata as Plain).map(([id, own]) => {
      const { origin: _origin, ...rest } = own as Plain
      return [id, rest]
    }),
  )
}

/** Whether a person may consent to later calls is said, and a tool's title is part of its definition. */
export function withoutConsents(recording: Compared): Compared {
  return mapObjects(recording, ({ rememberable: _may, definition: _hash, ...object }) => object)
}

/**
 * A call's start says what runs only where it isn't the model's; after a crash, format 1 said it in any case, since
 * what it compared had been read anew.
 */
export function withoutInputsOfModels(recording: Compared): Compared {
  const conversations = Object.entries(recording.conversations).map(([id, { journal, stored }]) => [
    id,
    { journal: withoutModelsInputs(journal), stored },
  ])
  return {
    ...recording,
    conversations: Object.fromEntries(conversations) as Compared['conversations'],
  }
}

function withoutModelsInputs(journal: readonly Plain[]): readonly Plain[] {
  const asked = new Map<unknown, string>()
  mapObjects(journal, (object) => {
    const { type, toolCallId, input } = object
    if (type === 'tool-call') asked.set(toolCallId, JSON.stringify(input))
    return object
  })
  return journal.map((row) => {
    const { input, ...rest } = row
    const isModels = JSON.stringify(input) === asked.get(row['toolCallId'])
    return row['type'] === 'call-started' && isModels ? rest : row
  })
}

/** A run that waits for a person is driven by nobody. */
export function withNobodyAtWaits(recording: Compared): Compared {
  return {
    ...recording,
    snapshots: mapObjects(recording.snapshots, (object) =>
      object['status'] === 'waiting' && object['ownership'] === 'this-tab'
        ? { ...object, ownership: 'none' }
        : object,
    ),
  }
}

/** Imported histories are untrusted: approval is requested, with the reason. */
export function withoutWordsOfOthers(recording: Compared): Compared {
  return mapObjects(recording, ({ because: _why, ...object }) => object)
}

/** The same, where it is said beside an output that the page is to give. */
export function withoutAsking(recording: Compared): Compared {
  return mapObjects(recording, ({ asks: _asks, ...object }) => object)
}

/** Agents warn of a policy that has a destructive tool run unasked. */
export function withoutWarningsOfPolicies(recording: Compared): Compared {
  const notices = recording.notices.filter(
    (notice) => !isPlain(notice) || notice['code'] !== 'approval-policy',
  )
  return { ...recording, notices }
}

/** Drops the tool's title and the question of pending calls. Both are new. */
export function withoutNewOfPending(recording: Compared): Compared {
  return mapObjects(recording, (object) => {
    const { pending } = object
    if (!Array.isArray(pending)) return object
    const calls = pending.filter(isPlain)
    return { ...object, pending: calls.map(({ title: _title, question: _asked, ...call }) => call) }
  })
}
