import { task } from './support/task.ts'

interface Goal {
  readonly user: string
  readonly password: string
}

/** A password is typed into a masked field, and must not come back in what the tools say. */
export const signIn = task<Goal>({
  name: 'sign in: a masked field',
  ask: ({ user, password }) =>
    `Sign in as ${user} with the password ${password}, and stay signed in.`,
  app: ({ body, h, pick, int }) => {
    const user = pick(['ada', 'grace', 'linus'])
    const password = `pw-${int(10_000, 99_999)}-x`
    const tries: string[] = []
    const form = h(
      'form',
      {
        onsubmit: (event: Event) => {
          event.preventDefault()
          const data = new FormData(form)
          tries.push([data.get('user'), data.get('password'), data.get('stay')].join())
          form.replaceWith(h('p', { role: 'status', text: 'You are in' }))
        },
      },
      h('label', {}, 'User ', h('input', { name: 'user', autocomplete: 'username' })),
      h('label', {}, 'Password ', h('input', { name: 'password', type: 'password' })),
      h(
        'label',
        {},
        h('input', { name: 'stay', type: 'checkbox', value: 'yes' }),
        'Stay signed in',
      ),
      h('button', { text: 'Sign in' }),
    )
    body.append(form)
    const decoy = { user, password: 'pw-00000-x' }
    return {
      goal: { user, password },
      decoy,
      isReached: () => tries.join('|') === `${user},${password},yes`,
    }
  },
  solve: async ({ look, act, type, click }, { user, password }) => {
    const page = await look()
    await type(page.ref('textbox', 'User'), user)
    const typed = await type(page.ref('textbox', 'Password'), password)
    if (typed.text.includes(password)) throw new Error(typed.text)
    const again = await look()
    if (again.text.includes(password)) throw new Error(again.text)
    await act('set_checked', { ref: page.ref('checkbox', 'Stay signed in'), checked: true })
    await click(page.ref('button', 'Sign in'))
  },
})
