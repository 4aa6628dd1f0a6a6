import { createElement, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Copilot } from './react-copilot'

const app = document.querySelector('#app') as HTMLElement
createRoot(app).render(createElement(StrictMode, null, createElement(Copilot)))
