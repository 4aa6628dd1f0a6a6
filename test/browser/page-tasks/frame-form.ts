import { task } from './support/task.ts'

interface Goal {
  readonly name: string
  readonly size: string
}

/** A form in a frame, and its answer on the page around it. */
export const frameForm = task<Goal>({
  name: 'frame: a form in it',
  ask: ({ name, size }) => `Order a shirt of size ${size} for ${name}.`,
  app: ({ body, h, two, pick }) => {
    const [size, other] = two(['S', 'M', 'L', 'XL'])
    const name = pick(['Ada', 'Grace', 'Linus'])
    const orders: string[] = []
    const frame = h('iframe', {
      title: 'Order',
      width: 500,
      height: 200,
      srcdoc: '<!doctype html><body></body>',
    })
    frame.onload = () => {
      const inner = frame.contentDocument
      if (!inner) return
      inner.body.innerHTML =
        '<form><label>Name <input name=name></label><label>Size <select name=size><option>S<option>M<option>L<option>XL</select></label><button>Place the shirt</button></form>'
      const form = inner.forms[0]
      form?.addEventListener('submit', (event) => {
        event.preventDefault()
        const data = new FormData(form)
        orders.push(`${String(data.get('name'))} ${String(data.get('size'))}`)
      })
    }
    body.append(frame)
    return {
      goal: { name, size },
      decoy: { name, size: other },
      isReached: () => orders.join() === `${name} ${size}`,
    }
  },
  solve: async ({ act, type, click, look }, { name, size }) => {
    await act('wait_for', { role: 'button', name: 'Place the shirt' })
    const page = await look()
    await type(page.ref('textbox', 'Name'), name)
    await act('select_option', { ref: page.ref('combobox', 'Size'), options: [size] })
    await click(page.ref('button', 'Place the shirt'))
  },
})
