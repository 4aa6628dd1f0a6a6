import { task } from './support/task.ts'

/** A box for each digit; each moves the focus on. */
export const codeBoxes = task<{ readonly digits: string }>({
  name: 'numbers: a box for each digit',
  ask: ({ digits }) => `Enter the ticket number ${digits} and check in.`,
  app: ({ body, h, int }) => {
    const digits = String(int(100_000, 999_999))
    const sent: string[] = []
    const boxes = Array.from({ length: 6 }, (_, n) =>
      h('input', {
        'aria-label': `Digit ${n + 1}`,
        maxlength: 1,
        inputmode: 'numeric',
        size: 1,
        oninput: () => {
          if (boxes[n]?.value) boxes[n + 1]?.focus()
        },
        onkeydown: (event: KeyboardEvent) => {
          if (event.key === 'Backspace' && !boxes[n]?.value) boxes[n - 1]?.focus()
        },
      }),
    )
    const send = (): number => sent.push(boxes.map(({ value }) => value).join(''))
    body.append(
      h('fieldset', {}, h('legend', { text: 'Ticket number' }), ...boxes),
      h('button', { text: 'Check in', onclick: send }),
    )
    const decoy = { digits: String((Number(digits) + 1) % 1_000_000).padStart(6, '1') }
    return { goal: { digits }, decoy, isReached: () => sent.join() === digits }
  },
  solve: async ({ look, act, click }, { digits }) => {
    const page = await look()
    const fields = digits.split('').map((value, n) => ({
      ref: page.ref('textbox', `Digit ${n + 1}`),
      value,
    }))
    await act('fill_form', { fields })
    await click(page.ref('button', 'Check in'))
  },
})
