import type { LitElement, ReactiveController } from 'lit'
import type { FieldValues, ShownCall } from '../../index.ts'
import { attempt } from './markdown/elements.ts'
import type { ChatContext, RenderedCall, ShownRef } from './context.ts'
import { isSameCall, toCallRef } from './parts/call-ref.ts'
import { answerKey } from './local-keys.ts'

interface ShownCard {
  readonly container: HTMLElement
  /** Null if the host's function threw. */
  rendered: RenderedCall | null
  call: ShownCall
}

/**
 * Manages the cards that the host draws. Each call has a container in the page's own document, as a child of the
 * element. The call's card shows it in a slot.
 */
export class RenderedCalls implements ReactiveController {
  readonly #host: LitElement
  readonly #shown = new Map<string, ShownCard>()
  #context: ChatContext | null = null

  constructor(host: LitElement) {
    this.#host = host
    host.addController(this)
  }

  hostDisconnected(): void {
    for (const id of this.#shown.keys()) this.#remove(id)
  }

  /** Returns the host's card, if it has the buttons that answer the call. */
  answeringCard(ref: ShownRef): RenderedCall | undefined {
    const shown = this.#shown.get(ref.toolCallId)
    return shown?.rendered?.answers && isSameCall(ref, shown.call) ? shown.rendered : undefined
  }

  /** Runs after each drawing. Null: nothing is shown. */
  show(context: ChatContext | null): void {
    this.#context = context
    if (this.#shown.size === 0 && Object.keys(context?.renderers ?? {}).length === 0) return
    const calls = context?.snapshot.messages.flatMap(({ calls: each = [] }) => each) ?? []
    const customCalls = calls.filter(
      ({ toolName }) => context && Object.hasOwn(context.renderers, toolName),
    )
    const byId = new Map(customCalls.map((call) => [call.toolCallId, call]))
    for (const [id, { call }] of this.#shown) {
      const next = byId.get(id)
      if (!next || !isSameCall(next, call) || next.toolName !== call.toolName) this.#remove(id)
    }
    for (const call of customCalls) this.#update(call)
  }

  #update(call: ShownCall): void {
    const shown = this.#shown.get(call.toolCallId)
    if (!shown) {
      this.#create(call)
      return
    }
    if (shown.call === call) return
    shown.call = call
    const { container } = shown
    const hasFocus = (): boolean => container.matches(':focus-within')
    const hadFocus = hasFocus()
    attempt(() => shown.rendered?.update(call))
    if (hadFocus && !hasFocus()) container.assignedSlot?.closest<HTMLElement>('.call')?.focus()
  }

  #create(call: ShownCall): void {
    const container = document.createElement('div')
    container.slot = `call-${call.toolCallId}`
    this.#host.append(container)
    const shown: ShownCard = { container, rendered: null, call }
    this.#shown.set(call.toolCallId, shown)
    const respond = (answer: unknown): Promise<boolean> => this.#respond(shown, answer)
    attempt(() => {
      shown.rendered =
        this.#context?.renderers[call.toolName]?.(call, { container, respond }) ?? null
    })
    // Redraws before the paint, so that the chat's buttons don't appear beside the card's own.
    if (this.answeringCard(call)) this.#host.requestUpdate()
  }

  #respond({ call }: ShownCard, answer: unknown): Promise<boolean> {
    const context = this.#context
    if (!context) return Promise.resolve(false)
    return new Promise((resolve, reject) => {
      const isPerformed = context.actions.perform(
        { name: 'respond', detail: { call, answer }, key: answerKey(call) },
        () => {
          const answered = answerTo(context, call, answer)
          answered.then(resolve, reject)
          return answered
        },
      )
      if (!isPerformed) resolve(false)
    })
  }

  #remove(id: string): void {
    const shown = this.#shown.get(id)
    this.#shown.delete(id)
    attempt(() => shown?.rendered?.dispose?.())
    shown?.container.remove()
  }
}

/** Passes on an answer from a host's card, in the form that the waiting call needs. */
function answerTo(context: ChatContext, call: ShownCall, answer: unknown): Promise<boolean> {
  const { agent } = context
  const ref = toCallRef(context, call)
  switch (call.status) {
    case 'awaiting-approval':
      return answer === true ? agent.approve(ref) : agent.deny(ref, reasonOf(answer))
    case 'awaiting-answer':
      return agent.answer(
        ref,
        typeof answer === 'string' ? answer : { action: 'accept', content: answer as FieldValues },
      )
    case 'awaiting-output':
      return agent.supplyOutput(ref, answer).then(() => true)
    case 'suspended':
      return agent.settle(ref, { output: answer })
    default:
      return Promise.resolve(false)
  }
}

/** Returns the reason of a denial, if the answer is a string. */
function reasonOf(answer: unknown): string | undefined {
  return typeof answer === 'string' ? answer : undefined
}
