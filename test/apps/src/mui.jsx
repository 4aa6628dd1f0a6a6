import * as mui from '@mui/material'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'

const FRUITS = ['Apple', 'Banana', 'Cherry', 'Date', 'Elderberry', 'Fig', 'Grape']

function App() {
  const [state, setState] = useState({
    fruit: null,
    age: '',
    on: false,
    volume: 20,
    tab: 0,
    open: false,
    size: '',
    chosen: '',
    agreed: false,
  })
  const [anchor, setAnchor] = useState(null)
  window.state = () => state
  const set = (patch) => setState((before) => ({ ...before, ...patch }))
  const pick = (chosen) => () => {
    set({ chosen })
    setAnchor(null)
  }
  return (
    <main>
      <mui.Autocomplete
        options={FRUITS}
        value={state.fruit}
        onChange={(_, fruit) => set({ fruit })}
        renderInput={(props) => <mui.TextField {...props} label="Fruit" />}
      />
      <mui.FormControl fullWidth>
        <mui.InputLabel id="age">Age</mui.InputLabel>
        <mui.Select
          labelId="age"
          label="Age"
          value={state.age}
          onChange={(event) => set({ age: event.target.value })}
        >
          <mui.MenuItem value={10}>Ten</mui.MenuItem>
          <mui.MenuItem value={20}>Twenty</mui.MenuItem>
        </mui.Select>
      </mui.FormControl>
      <mui.FormControlLabel
        control={<mui.Switch checked={state.on} onChange={(_, on) => set({ on })} />}
        label="Wifi"
      />
      <mui.FormControlLabel
        control={<mui.Checkbox checked={state.agreed} onChange={(_, agreed) => set({ agreed })} />}
        label="Agree"
      />
      <mui.Slider
        aria-label="Volume"
        value={state.volume}
        onChange={(_, volume) => set({ volume })}
      />
      <mui.RadioGroup value={state.size} onChange={(_, size) => set({ size })}>
        <mui.FormControlLabel value="s" control={<mui.Radio />} label="Small" />
        <mui.FormControlLabel value="l" control={<mui.Radio />} label="Large" />
      </mui.RadioGroup>
      <mui.Tabs value={state.tab} onChange={(_, tab) => set({ tab })}>
        <mui.Tab label="One" />
        <mui.Tab label="Two" />
      </mui.Tabs>
      <p>Panel {state.tab}</p>
      <mui.Button onClick={(event) => setAnchor(event.currentTarget)}>Menu</mui.Button>
      <mui.Menu open={anchor !== null} anchorEl={anchor} onClose={() => setAnchor(null)}>
        <mui.MenuItem onClick={pick('copy')}>Copy</mui.MenuItem>
        <mui.MenuItem onClick={pick('paste')}>Paste</mui.MenuItem>
      </mui.Menu>
      <mui.Button onClick={() => set({ open: true })}>Open dialog</mui.Button>
      <mui.Dialog open={state.open} onClose={() => set({ open: false })}>
        <mui.DialogTitle>Sure?</mui.DialogTitle>
        <mui.Button onClick={() => set({ open: false, chosen: 'confirmed' })}>Confirm</mui.Button>
      </mui.Dialog>
    </main>
  )
}

createRoot(document.querySelector('#app')).render(<App />)
