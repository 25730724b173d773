import { render } from 'preact';
import { App } from './app.tsx';
import { loadInstallation } from './installation.ts';
import { keepFocus } from './keep-focus.ts';
import { loadSession } from './session.ts';
import './style.css';

void loadInstallation();
void loadSession();
const root = document.getElementById('console');
if (root) {
  render(<App />, root);
  keepFocus(root);
}
