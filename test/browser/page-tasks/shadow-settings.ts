import { task } from './support/task.ts'

/** Elements of the page's own within each other, with fields in their shadow trees. */
export const shadowSettings = task<{ readonly device: string }>({
  name: 'shadow trees: a switch within two of them',
  ask: ({ device }) => `Turn the ${device} on.`,
  app: ({ body, h, two }) => {
    const devices = ['Lamp', 'Radio', 'Heater']
    const [device, other] = two(devices)
    const on = new Set<string>()
    customElements.define(
      'x-device',
      class extends HTMLElement {
        connectedCallback(): void {
          const name = this.getAttribute('name') ?? ''
          const toggle = h('button', {
            role: 'switch',
            'aria-checked': 'false',
            'aria-label': name,
          })
          toggle.onclick = () => {
            const isOn = toggle.getAttribute('aria-checked') === 'true'
            toggle.setAttribute('aria-checked', String(!isOn))
            if (isOn) on.delete(name)
            else on.add(name)
          }
          this.attachShadow({ mode: 'open' }).append(
            h('style', { text: 'button { width: 50px; height: 20px }' }),
            toggle,
          )
        }
      },
    )
    customElements.define(
      'x-house',
      class extends HTMLElement {
        connectedCallback(): void {
          const root = this.attachShadow({ mode: 'open' })
          root.innerHTML = devices
            .map((name) => `<p><x-device name="${name}"></x-device></p>`)
            .join('')
        }
      },
    )
    body.append(document.createElement('x-house'))
    return {
      goal: { device },
      decoy: { device: other },
      isReached: () => [...on].join() === device,
    }
  },
  solve: async ({ look, act }, { device }) => {
    await act('set_checked', { ref: (await look()).ref('switch', device), checked: true })
  },
})
