import { task } from './support/task.ts'

interface Goal {
  readonly server: string
}

/** Only a tooltip shows the text to type. */
export const tooltip = task<Goal>({
  name: 'tooltip: read it and type it',
  ask: ({ server }) => `Hover over ${server}: type the zone that its tooltip names.`,
  app: ({ body, h, two, int }) => {
    const servers = ['alpha', 'beta', 'gamma']
    const [server, other] = two(servers)
    const zones = new Map(servers.map((name) => [name, `zone-${int(100, 999)}`]))
    const field = h('input', { 'aria-label': 'Zone' })
    const tip = h('div', { role: 'tooltip', id: 'tip', hidden: true })
    for (const name of servers)
      body.append(
        h('button', {
          text: name,
          onmouseenter: () => {
            tip.textContent = `Runs in ${zones.get(name)}`
            setTimeout(() => (tip.hidden = false), 200)
          },
          onmouseleave: () => (tip.hidden = true),
        }),
      )
    body.append(field, tip)
    return {
      goal: { server },
      decoy: { server: other },
      isReached: () => field.value === zones.get(server),
    }
  },
  solve: async ({ look, act, type }, { server }) => {
    const page = await look()
    const said = await act('hover', { ref: page.ref('button', server) })
    await type(page.ref('textbox', 'Zone'), /zone-\d+/.exec(said.text)?.[0] ?? '')
  },
})
