import type { Agent, JsonValue, ShownCall } from 'offstage'
import type { CallRenderers } from 'offstage/chat'
import { el } from '../lib/dom.ts'
import { formatDay, formatMoney } from '../lib/format.ts'
import { isProposedOrder, type ProposedOrder } from './proposed-order.ts'
import { deliveryPrices } from './prices.ts'
import { arrivalOf } from './shop.ts'
import type { Speed } from './shop-state.ts'

/**
 * Renders a call that orders something as the shop's own slip, with prices and the button that pays. The slip is part
 * of the page, so the shop's styles apply.
 */
export function orderSlip(agent: Agent): CallRenderers[string] {
  return (call, { container, respond }) => {
    const pay = (speed: Speed, currentCall: ShownCall): Promise<boolean> =>
      speed === speedIn(currentCall.input)
        ? respond(true)
        : agent.approve(currentCall, { input: { speed } })
    const draw = (currentCall: ShownCall): void => {
      const order = currentCall.about?.data
      const parts = isProposedOrder(order) ? orderParts(order, currentCall) : []
      container.replaceChildren(
        el(
          'div',
          { class: 'slip' },
          el('h3', {}, 'Your order'),
          ...parts,
          ...outcomeOf(currentCall),
        ),
      )
    }
    const orderParts = (order: ProposedOrder, currentCall: ShownCall): Node[] => [
      el('dl', { class: 'totals' }, ...order.lines.map(({ text, price }) => row(text, price))),
      ...(currentCall.status === 'awaiting-approval'
        ? [
            createQuestion(order, speedIn(currentCall.input), {
              pay: (speed) => pay(speed, currentCall),
              decline: () => respond('The shopper does not want to order now.'),
            }),
          ]
        : []),
    ]
    draw(call)
    const suggest = (input: JsonValue): void => {
      const select = container.querySelector('select')
      if (!select) return
      select.value = speedIn(input)
      select.dispatchEvent(new Event('change'))
    }
    return { answers: true, update: draw, suggest }
  }
}

interface Answers {
  pay(speed: Speed): Promise<boolean>
  decline(): Promise<boolean>
}

function createQuestion(
  order: ProposedOrder,
  requestedSpeed: Speed,
  answers: Answers,
): HTMLElement {
  const select = el('select', { 'aria-label': 'Delivery' }, ...speeds.map(optionOf))
  select.value = requestedSpeed
  const payButton = el('button', { type: 'button', class: 'primary' })
  const declineButton = el('button', { type: 'button' }, "Don't order")
  const problem = el('p', { class: 'notice', role: 'alert' })
  const chosenSpeed = (): Speed => speeds.find((speed) => speed === select.value) ?? requestedSpeed
  const showPrice = (): void => {
    payButton.textContent = `Pay ${formatMoney(order.total + deliveryPrices[chosenSpeed()])}`
  }
  const showFailure = (result: Promise<boolean>): void => {
    result.catch((error: unknown) => {
      problem.textContent = error instanceof Error ? error.message : String(error)
    })
  }
  select.addEventListener('change', showPrice)
  payButton.addEventListener('click', () => showFailure(answers.pay(chosenSpeed())))
  declineButton.addEventListener('click', () => showFailure(answers.decline()))
  showPrice()
  return el(
    'div',
    { class: 'slip-question' },
    el('label', {}, 'Delivery ', select),
    el('div', { class: 'slip-buttons' }, payButton, declineButton),
    problem,
  )
}

const speeds = ['standard', 'express'] as const

function optionOf(speed: Speed): HTMLOptionElement {
  const name = speed === 'express' ? 'Express' : 'Standard'
  const price = deliveryPrices[speed] === 0 ? 'free' : formatMoney(deliveryPrices[speed])
  return el('option', { value: speed }, `${name}, by ${formatDay(arrivalOf(speed))}: ${price}`)
}

function row(name: string, price: number): HTMLElement {
  return el('div', {}, el('dt', {}, name), el('dd', {}, formatMoney(price)))
}

function speedIn(input: unknown): Speed {
  return typeof input === 'object' &&
    input !== null &&
    'speed' in input &&
    input.speed === 'express'
    ? 'express'
    : 'standard'
}

/** Renders the outcome of the order. */
function outcomeOf({ status, output }: ShownCall): Node[] {
  switch (status) {
    case 'awaiting-approval':
      return []
    case 'succeeded':
      return [el('p', {}, `Paid. ${output?.type === 'json' ? describeOutput(output.value) : ''}`)]
    case 'denied':
      return [el('p', {}, 'Not ordered.')]
    default:
      return [el('p', { class: 'hint' }, output?.type === 'error' ? output.message : 'One moment…')]
  }
}

function describeOutput(value: unknown): string {
  const { order, paid, deliveredBy } = (value ?? {}) as { readonly [name: string]: unknown }
  return `${String(order)}: ${String(paid)}, arrives by ${String(deliveredBy)}`
}
