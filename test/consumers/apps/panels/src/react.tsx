import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Panel } from './react-panel'
import { app, show } from './page'

const root = createRoot(app)
show(
  (id) => root.render(<StrictMode children={<Panel id={id} />} />),
  () => root.unmount(),
)
