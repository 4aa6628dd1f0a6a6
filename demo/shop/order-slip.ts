import type { Agent, JsonValue, ShownCall } from 'offstage'
import type { CallRenderers } from 'offstage/chat'
import { el } from '../lib/dom.ts'
import { formatDay, formatMoney } from '../lib/format.ts'
import { isAskedOrder, type AskedOrder } from './asked-order.ts'
import { deliveryPrices } from './prices.ts'
import { arrivalOf } from './shop.ts'
import type { Speed } from './shop-state.ts'

/**
 * Renders a call that orders something as the shop's own slip, with prices and the button that pays. The slip is part
 * of the page, so the shop's styles apply.
 */
export function orderSlip(agent: Agent): CallRenderers[string] {
  return (call, { container, respond }) => {
    const pay = (speed: Speed, shown: ShownCall): Promise<boolean> =>
      speed === speedIn(shown.input) ? respond(true) : agent.approve(shown, { input: { speed } })
    const draw = (shown: ShownCall): void => {
      const order = shown.about?.data
      const parts = isAskedOrder(order) ? orderParts(order, shown) : []
      container.replaceChildren(
        el('div', { class: 'slip' }, el('h3', {}, 'Your order'), ...parts, ...endOf(shown)),
      )
    }
    const orderParts = (order: AskedOrder, shown: ShownCall): Node[] => [
      el('dl', { class: 'totals' }, ...order.lines.map(({ text, price }) => row(text, price))),
      ...(shown.status === 'awaiting-approval'
        ? [
            createQuestion(order, speedIn(shown.input), {
              pay: (speed) => pay(speed, shown),
              leave: () => respond('The shopper does not want to order now.'),
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
  leave(): Promise<boolean>
}

function createQuestion(order: AskedOrder, asked: Speed, answers: Answers): HTMLElement {
  const select = el('select', { 'aria-label': 'Delivery' }, ...speeds.map(optionOf))
  select.value = asked
  const pay = el('button', { type: 'button', class: 'primary' })
  const leave = el('button', { type: 'button' }, "Don't order")
  const problem = el('p', { class: 'notice', role: 'alert' })
  const chosen = (): Speed => speeds.find((speed) => speed === select.value) ?? asked
  const showPrice = (): void => {
    pay.textContent = `Pay ${formatMoney(order.total + deliveryPrices[chosen()])}`
  }
  const answer = (given: Promise<boolean>): void => {
    given.catch((error: unknown) => {
      problem.textContent = error instanceof Error ? error.message : String(error)
    })
  }
  select.addEventListener('change', showPrice)
  pay.addEventListener('click', () => answer(answers.pay(chosen())))
  leave.addEventListener('click', () => answer(answers.leave()))
  showPrice()
  return el(
    'div',
    { class: 'slip-question' },
    el('label', {}, 'Delivery ', select),
    el('div', { class: 'slip-buttons' }, pay, leave),
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
function endOf({ status, output }: ShownCall): Node[] {
  switch (status) {
    case 'awaiting-approval':
      return []
    case 'succeeded':
      return [el('p', {}, `Paid. ${output?.type === 'json' ? wordsOf(output.value) : ''}`)]
    case 'denied':
      return [el('p', {}, 'Not ordered.')]
    default:
      return [el('p', { class: 'hint' }, output?.type === 'error' ? output.message : 'One moment…')]
  }
}

function wordsOf(value: unknown): string {
  const { order, paid, deliveredBy } = (value ?? {}) as { readonly [name: string]: unknown }
  return `${String(order)}: ${String(paid)}, arrives by ${String(deliveredBy)}`
}
