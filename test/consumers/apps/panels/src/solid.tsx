import { createSignal } from 'solid-js'
import { render } from 'solid-js/web'
import { Panel } from './solid-panel'
import { app, show } from './page'

const [shown, setShown] = createSignal('')
let unmount: (() => void) | undefined
show(
  (id) => {
    setShown(id)
    unmount ??= render(() => <Panel id={shown()} />, app)
  },
  () => unmount?.(),
)
