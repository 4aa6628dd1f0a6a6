import { task } from './support/task.ts'

type Goal = Readonly<
  Record<'First name' | 'Last name' | 'Street' | 'Town' | 'Postcode' | 'Country' | 'Title', string>
>

/** Thirty fields, of which seven are asked for. */
export const longForm = task<Goal>({
  name: 'form: seven of thirty fields',
  ask: (goal) =>
    `Fill in ${Object.entries(goal)
      .map(([name, value]) => `${name}: ${value}`)
      .join(', ')}; then save.`,
  app: ({ body, h, pick, int }) => {
    const goal = {
      'First name': pick(['Ada', 'Grace', 'Linus']),
      'Last name': pick(['Lovelace', 'Hopper', 'Torvalds']),
      Street: `Long Road ${int(1, 99)}`,
      Town: pick(['Oslo', 'Turin', 'Cadiz']),
      Postcode: String(int(10_000, 99_999)),
      Country: pick(['Norway', 'Italy', 'Spain']),
      Title: pick(['Dr', 'Ms', 'Mr']),
    }
    const saved: Record<string, string>[] = []
    const form = h('form', {
      onsubmit: (event: Event) => {
        event.preventDefault()
        saved.push(
          Object.fromEntries([...new FormData(form)].map(([key, value]) => [key, String(value)])),
        )
      },
    })
    const add = (name: string, field: HTMLElement): void => {
      field.setAttribute('name', name)
      form.append(h('p', {}, h('label', {}, `${name}: `, field)))
    }
    const filler = Array.from({ length: 23 }, (_, n) => `Note ${n + 1}`)
    for (const [n, name] of filler.entries()) {
      add(name, h('input'))
      const wanted = Object.keys(goal)[n]
      if (wanted === 'Country' || wanted === 'Title') {
        const values =
          wanted === 'Title' ? ['', 'Dr', 'Ms', 'Mr'] : ['', 'Norway', 'Italy', 'Spain']
        add(wanted, h('select', {}, ...values.map((text) => h('option', { text }))))
      } else if (wanted) add(wanted, h('input', { required: true }))
    }
    form.append(h('button', { text: 'Save the form' }))
    body.append(form)
    const isReached = (): boolean =>
      saved.length === 1 &&
      Object.entries(goal).every(([name, value]) => saved[0]?.[name] === value) &&
      filler.every((name) => saved[0]?.[name] === '')
    return { goal, decoy: { ...goal, Town: 'Paris' }, isReached }
  },
  solve: async ({ act, click }, goal) => {
    const fields = []
    for (const [name, value] of Object.entries(goal)) {
      const found = await act('find', { name })
      const line = found.lines.find(
        (one) => one.name === `${name}:` && /^(textbox|combobox)$/.test(one.role),
      )
      fields.push({ ref: line?.ref ?? '', value })
    }
    await act('fill_form', { fields })
    await click(
      (await act('find', { role: 'button', name: 'Save the form' })).ref('button', 'Save the form'),
    )
  },
})
