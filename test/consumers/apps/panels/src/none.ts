import { panel } from './none-panel'
import { app, show } from './page'

let shown: ReturnType<typeof panel> | undefined
function hide() {
  shown?.close()
  shown?.element.remove()
}
show((id) => {
  hide()
  shown = panel(id)
  app.append(shown.element)
}, hide)
