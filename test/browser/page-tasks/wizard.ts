import { task } from './support/task.ts'

interface Goal {
  readonly email: string
  readonly plan: string
  readonly seats: number
}

/** Three steps; a step with a mistake says so and stays. */
export const wizard = task<Goal>({
  name: 'wizard: three steps with checks',
  ask: ({ email, plan, seats }) =>
    `Sign up ${email} for the plan ${plan} with ${seats} seats, with the terms agreed to.`,
  app: ({ body, h, two, int }) => {
    const [plan, other] = two(['Small', 'Medium', 'Large'])
    const seats = int(2, 30)
    const email = `user${int(10, 99)}@shop.example`
    const made: string[] = []
    const mail = h('input', { type: 'email', 'aria-label': 'Email' })
    const count = h('input', { type: 'number', min: 1, 'aria-label': 'Seats' })
    const plans = ['Small', 'Medium', 'Large'].map((value) =>
      h('input', { type: 'radio', name: 'plan', value }),
    )
    const agreed = h('input', { type: 'checkbox' })
    const alert = h('p', { role: 'alert' })
    const parts = [
      {
        title: 'Account',
        inside: [mail],
        wrong: () => (mail.value && mail.checkValidity() ? '' : 'Enter a valid email.'),
      },
      {
        title: 'Plan',
        inside: [...plans.map((radio) => h('label', {}, radio, radio.value)), count],
        wrong: () =>
          plans.some(({ checked }) => checked) && count.value ? '' : 'Choose a plan and seats.',
      },
      {
        title: 'Terms',
        inside: [h('label', {}, agreed, 'I agree to the terms')],
        wrong: () => (agreed.checked ? '' : 'Agree to the terms first.'),
      },
    ]
    const show = (step: number): void => {
      const part = parts[step]
      if (!part) {
        made.push([mail.value, plans.find(({ checked }) => checked)?.value, count.value].join())
        body.replaceChildren(h('p', { role: 'status', text: 'Welcome' }))
        return
      }
      alert.textContent = ''
      const next = (): void => {
        const wrong = part.wrong()
        if (wrong) alert.textContent = wrong
        else show(step + 1)
      }
      body.replaceChildren(
        h('h1', { text: `Step ${step + 1} of 3: ${part.title}` }),
        ...part.inside,
        alert,
        h('button', { text: step < 2 ? 'Next' : 'Finish', onclick: next }),
      )
    }
    show(0)
    const isReached = (): boolean => made.join('|') === `${email},${plan},${seats}`
    return { goal: { email, plan, seats }, decoy: { email, plan: other, seats }, isReached }
  },
  solve: async ({ look, type, click, act }, { email, plan, seats }) => {
    const first = await look()
    const refused = await click(first.ref('button', 'Next'))
    if (!refused.text.includes('Enter a valid email.')) throw new Error(refused.text)
    await type(first.ref('textbox', 'Email'), email)
    await click(first.ref('button', 'Next'))
    const second = await look()
    await act('set_checked', { ref: second.ref('radio', plan), checked: true })
    await type(second.ref('spinbutton', 'Seats'), String(seats))
    await click(second.ref('button', 'Next'))
    const third = await look()
    await act('set_checked', { ref: third.ref('checkbox', 'I agree to the terms'), checked: true })
    const done = await click(third.ref('button', 'Finish'))
    if (!done.text.includes('Welcome')) throw new Error(done.text)
  },
})
