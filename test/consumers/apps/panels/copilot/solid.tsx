import { render } from 'solid-js/web'
import { Copilot } from './solid-copilot'

render(() => <Copilot />, document.querySelector('#app') as HTMLElement)
