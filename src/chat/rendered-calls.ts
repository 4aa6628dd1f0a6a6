import type { ReactiveController, ReactiveControllerHost } from 'lit'
import type { FieldValues, ShownCall } from '../index.ts'
import type { ChatContext, RenderedCall } from './context.ts'
import { refOf } from './parts/call-ref.ts'

interface Shown {
  readonly container: HTMLElement
  readonly rendered: RenderedCall
  call: ShownCall
}

/**
 * The cards that the host draws: a container for each call, in the page's own document as a child of the element, which the
 * card shows in its slot.
 */
export class RenderedCalls implements ReactiveController {
  readonly #host: ReactiveControllerHost & HTMLElement
  readonly #shown = new Map<string, Shown>()

  constructor(host: ReactiveControllerHost & HTMLElement) {
    this.#host = host
    host.addController(this)
  }

  hostDisconnected(): void {
    for (const id of this.#shown.keys()) this.#remove(id)
  }

  /** After each drawing. */
  show(context: ChatContext): void {
    const calls = context.snapshot.messages.flatMap(({ calls: each = [] }) => each)
    const own = calls.filter(({ toolName }) => Object.hasOwn(context.renderers, toolName))
    const ids = new Set(own.map(({ toolCallId }) => toolCallId))
    for (const id of this.#shown.keys()) if (!ids.has(id)) this.#remove(id)
    for (const call of own) this.#update(context, call)
  }

  #update(context: ChatContext, call: ShownCall): void {
    const shown = this.#shown.get(call.toolCallId)
    if (!shown) {
      this.#create(context, call)
      return
    }
    if (shown.call === call) return
    shown.call = call
    shown.rendered.update(call)
  }

  #create(context: ChatContext, call: ShownCall): void {
    const render = context.renderers[call.toolName]
    if (!render) return
    const container = document.createElement('div')
    container.slot = `call-${call.toolCallId}`
    this.#host.append(container)
    const respond = (answer: unknown): Promise<boolean> =>
      answerTo(context, this.#shown.get(call.toolCallId)?.call ?? call, answer)
    this.#shown.set(call.toolCallId, {
      container,
      rendered: render(call, { container, respond }),
      call,
    })
  }

  #remove(id: string): void {
    const shown = this.#shown.get(id)
    this.#shown.delete(id)
    shown?.rendered.dispose?.()
    shown?.container.remove()
  }
}

/** What a host's card says to its call, by what the call waits for. */
function answerTo(context: ChatContext, call: ShownCall, answer: unknown): Promise<boolean> {
  const { agent } = context
  const ref = refOf(context, call)
  switch (call.status) {
    case 'awaiting-approval':
      return answer === false ? agent.deny(ref) : agent.approve(ref)
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
