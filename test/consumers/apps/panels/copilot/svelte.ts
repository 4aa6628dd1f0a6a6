import { mount } from 'svelte'
import Copilot from './svelte-copilot.svelte'

mount(Copilot, { target: document.querySelector('#app') as HTMLElement })
