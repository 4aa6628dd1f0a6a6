import { hydrate, mount, unmount } from 'svelte'
import { expose, makeAgent } from './scene.js'
import App from './svelte/app.svelte'
import Shell from './svelte/shell.svelte'

const target = document.querySelector('#app')

expose({
  mount(scene, { model }) {
    const create = () => makeAgent(model && { model })
    const app = mount(App, { target, props: { scene, create } })
    return () => unmount(app)
  },
  hydrate: () => void hydrate(Shell, { target, props: { create: () => makeAgent() } }),
})
