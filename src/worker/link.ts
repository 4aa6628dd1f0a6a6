import { wrap } from 'comlink'
import { holdLifeLock } from '../lib/life-lock.ts'
import { type Answers, asked } from '../protocol/call.ts'
import {
  type LockRef,
  type PageHello,
  PROTOCOL_VERSION,
  type StartRun,
  type WorkerCalls,
  type WorkerHello,
} from '../protocol/worker-calls.ts'
import { OffstageError } from '../protocol/error.ts'
import type { PageNotice } from '../protocol/notices.ts'
import { PAGE_CALLS } from '../protocol/page-calls.ts'
import type { CompositeCommands } from './run-commands.ts'
import type { Undoing } from './undo.ts'
import type { Extractions } from './model/extract.ts'
import { Host, type HostOptions } from './host.ts'
import type { Imports } from './imports.ts'
import type { Library } from './library.ts'
import type { ConversationRetention } from './conversation-retention.ts'
import type { ConversationViews } from './conversation-registry.ts'
import type { Titles } from './titles.ts'

type LinkOptions = Omit<HostOptions, 'page' | 'pageId' | 'notify'>

/** Connection to the worker's one page. */
export class Link {
  readonly #options: LinkOptions
  readonly #locks = new Map<string, () => void>()
  /** Locks whose release arrived before their request: the two travel on different ports. */
  readonly #released = new Set<string>()
  #host: Host | null = null

  constructor(options: LinkOptions) {
    this.#options = options
  }

  /** Returns the method with the command's name, from the part that has it. */
  answer(name: keyof WorkerCalls): (argument: never) => unknown {
    const parts = name in this ? [this] : this.#started.parts
    // The parts together have every method that the table names.
    const part = parts.find((each) => name in each) as Link &
      Host &
      Library &
      ConversationRetention &
      Imports &
      ConversationViews &
      Extractions &
      Titles &
      CompositeCommands &
      Undoing
    const answers: Answers<WorkerCalls> = part
    return (argument) => answers[name](argument)
  }

  async connect(hello: PageHello): Promise<WorkerHello> {
    const { protocolVersion, pageId, pagePort, eventPort } = hello
    if (protocolVersion !== PROTOCOL_VERSION) {
      throw new OffstageError(
        'protocol-mismatch',
        `The page has version ${protocolVersion} of the protocol, the worker ${PROTOCOL_VERSION}: an old file is cached. Reload without the cache, or deploy both together.`,
      )
    }
    this.#host = new Host({
      ...this.#options,
      page: asked(PAGE_CALLS, wrap(pagePort)),
      pageId,
      notify: (notice) => eventPort.postMessage(notice),
    })
    eventPort.onmessage = ({ data }) => this.#onNotice(data as PageNotice)
    return { protocolVersion: PROTOCOL_VERSION, clock: this.#options.effects.monotonic() }
  }

  ping(): void {}

  holdLock({ name }: LockRef): Promise<boolean> | boolean {
    if (this.#released.delete(name) || this.#options.effects.locks === undefined) return false
    return holdLifeLock(name, new Promise((release) => this.#locks.set(name, release)))
  }

  /** Accepts the run without waiting for it. The run's outcome arrives as its last event. */
  startRun(command: StartRun): void {
    void this.#started.startRun(command)
  }

  get #started(): Host {
    if (this.#host === null) {
      throw new OffstageError('protocol-mismatch', 'The page must call connect() first.')
    }
    return this.#host
  }

  #onNotice(notice: PageNotice): void {
    switch (notice.type) {
      case 'release-lock':
        return this.#releaseLock(notice.name)
      case 'visibility':
        this.#host?.visibility.set(notice.isVisible)
        return this.#host?.shown.keepDrafts()
      case 'tool-progress':
        return this.#host?.progress(notice)
      default:
        notice satisfies never
    }
  }

  #releaseLock(name: string): void {
    const release = this.#locks.get(name)
    if (release) release()
    else this.#released.add(name)
    this.#locks.delete(name)
  }
}
