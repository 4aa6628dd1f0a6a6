import { task } from './support/task.ts'

interface Goal {
  readonly wanted: readonly string[]
}

/** A list of the browser's own, of which several are chosen. */
export const multiSelect = task<Goal>({
  name: 'selects: several of a list',
  ask: ({ wanted }) => `Choose ${wanted.join(' and ')}, and nothing else; then apply.`,
  app: ({ body, h, shuffle }) => {
    const all = shuffle(['Piano', 'Violin', 'Drums', 'Harp', 'Flute', 'Horn'])
    const applied: string[] = []
    const list = h(
      'select',
      { multiple: true, size: 6, 'aria-label': 'Instruments' },
      ...all.map((text) => h('option', { text })),
    )
    const apply = h('button', {
      text: 'Apply',
      onclick: () => applied.push([...list.selectedOptions].map(({ value }) => value).join()),
    })
    body.append(list, apply)
    const wanted = [all[1] ?? '', all[4] ?? '']
    const decoy = { wanted: [all[1] ?? '', all[5] ?? ''] }
    return { goal: { wanted }, decoy, isReached: () => applied.join('|') === wanted.join() }
  },
  solve: async ({ look, act, click }, { wanted }) => {
    const page = await look()
    await act('select_option', { ref: page.ref('listbox', 'Instruments'), options: wanted })
    await click(page.ref('button', 'Apply'))
  },
})
