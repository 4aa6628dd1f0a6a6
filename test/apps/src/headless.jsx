import {
  Combobox,
  ComboboxInput,
  ComboboxOption,
  ComboboxOptions,
  Disclosure,
  DisclosureButton,
  DisclosurePanel,
  Listbox,
  ListboxButton,
  ListboxOption,
  ListboxOptions,
  Menu,
  MenuButton,
  MenuItem,
  MenuItems,
  Switch,
} from '@headlessui/react'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'

const PEOPLE = ['Ada', 'Alan', 'Grace', 'Linus']

function App() {
  const [state, setState] = useState({ person: null, letter: 'a', on: false, picked: '' })
  const [query, setQuery] = useState('')
  window.state = () => state
  const set = (patch) => setState((before) => ({ ...before, ...patch }))
  const shown = PEOPLE.filter((name) => name.toLowerCase().includes(query.toLowerCase()))
  return (
    <main>
      <Combobox
        value={state.person}
        onChange={(person) => set({ person })}
        onClose={() => setQuery('')}
      >
        <ComboboxInput aria-label="Person" onChange={(event) => setQuery(event.target.value)} />
        <ComboboxOptions anchor="bottom">
          {shown.map((name) => (
            <ComboboxOption key={name} value={name}>
              {name}
            </ComboboxOption>
          ))}
        </ComboboxOptions>
      </Combobox>
      <Listbox value={state.letter} onChange={(letter) => set({ letter })}>
        <ListboxButton aria-label="Letter">Letter: {state.letter}</ListboxButton>
        <ListboxOptions anchor="bottom">
          {['a', 'b', 'c'].map((name) => (
            <ListboxOption key={name} value={name}>{`Letter ${name}`}</ListboxOption>
          ))}
        </ListboxOptions>
      </Listbox>
      <Menu>
        <MenuButton>Options</MenuButton>
        <MenuItems anchor="bottom">
          <MenuItem>
            <button onClick={() => set({ picked: 'archive' })}>Archive</button>
          </MenuItem>
        </MenuItems>
      </Menu>
      <Switch checked={state.on} onChange={(on) => set({ on })} style={{ width: 40, height: 20 }}>
        <span>Wifi</span>
      </Switch>
      <Disclosure>
        <DisclosureButton>Details</DisclosureButton>
        <DisclosurePanel>Here they are</DisclosurePanel>
      </Disclosure>
    </main>
  )
}

createRoot(document.querySelector('#app')).render(<App />)
