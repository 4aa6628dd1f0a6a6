import { task } from './support/task.ts'

interface Goal {
  readonly country: string
  readonly city: string
}

/** The second list is filled, after a while, by what the first one says. */
export const dependentSelects = task<Goal>({
  name: 'selects: one that depends on another',
  ask: ({ country, city }) => `Choose ${city} in ${country} and confirm the place.`,
  app: ({ body, h, two, pick }) => {
    const towns: Readonly<Record<string, readonly string[]>> = {
      Italy: ['Rome', 'Milan', 'Turin'],
      Spain: ['Madrid', 'Bilbao', 'Cadiz'],
      Norway: ['Oslo', 'Bergen', 'Molde'],
    }
    const [country, otherCountry] = two(Object.keys(towns))
    const city = pick(towns[country] ?? [])
    const confirmed: string[] = []
    const second = h('select', { 'aria-label': 'City', disabled: true })
    const first = h(
      'select',
      {
        'aria-label': 'Country',
        onchange: () => {
          second.disabled = true
          setTimeout(() => {
            second.replaceChildren(
              ...(towns[first.value] ?? []).map((text) => h('option', { text })),
            )
            second.selectedIndex = -1
            second.disabled = false
          }, 200)
        },
      },
      ...['', ...Object.keys(towns)].map((text) => h('option', { text })),
    )
    const confirm = h('button', {
      text: 'Use place',
      onclick: () => confirmed.push(`${first.value} ${second.value}`),
    })
    body.append(first, second, confirm)
    const decoy = { country: otherCountry, city: towns[otherCountry]?.[0] ?? '' }
    return {
      goal: { country, city },
      decoy,
      isReached: () => confirmed.join() === `${country} ${city}`,
    }
  },
  solve: async ({ look, act, click }, { country, city }) => {
    const page = await look()
    await act('select_option', { ref: page.ref('combobox', 'Country'), options: [country] })
    await act('wait_for', { text: city }).catch(() => null)
    await act('select_option', { ref: page.ref('combobox', 'City'), options: [city] })
    await click(page.ref('button', 'Use place'))
  },
})
