import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app'

const container = document.querySelector('#app')
if (container === null) throw new Error('The page has no element #app.')
createRoot(container).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
