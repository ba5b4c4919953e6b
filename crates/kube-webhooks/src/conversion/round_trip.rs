//! A check of conversions, for tests.

use serde::Serialize;
use serde_json::Value;

use super::{Conversion, ConversionError};

impl<H> Conversion<H> {
    /// Converts an object to each other version and back, and compares it with itself. A conversion
    /// that loses something loses it for good when a client of the other version writes the object.
    ///
    /// Call it in a test, with objects in every version, such as those that a property test draws:
    ///
    /// ```
    /// # use kube_webhooks::Conversion;
    /// # mod v1 {
    /// #   use kube::CustomResource;
    /// #   use schemars::JsonSchema;
    /// #   use serde::{Deserialize, Serialize};
    /// #   #[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
    /// #   #[kube(group = "example.com", version = "v1", kind = "Widget")]
    /// #   pub struct WidgetSpec { pub size: u8 }
    /// # }
    /// # mod v2 {
    /// #   use kube::CustomResource;
    /// #   use schemars::JsonSchema;
    /// #   use serde::{Deserialize, Serialize};
    /// #   #[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
    /// #   #[kube(group = "example.com", version = "v2", kind = "Widget")]
    /// #   pub struct WidgetSpec { pub size: u8, #[serde(default)] pub color: String }
    /// # }
    /// # impl From<v1::Widget> for v2::Widget {
    /// #   fn from(old: v1::Widget) -> Self {
    /// #       let spec = v2::WidgetSpec { size: old.spec.size, color: String::new() };
    /// #       Self { metadata: old.metadata, spec }
    /// #   }
    /// # }
    /// # impl From<v2::Widget> for v1::Widget {
    /// #   fn from(new: v2::Widget) -> Self {
    /// #       Self { metadata: new.metadata, spec: v1::WidgetSpec { size: new.spec.size } }
    /// #   }
    /// # }
    /// let conversion = Conversion::<v2::Widget>::hub().version::<v1::Widget>();
    /// let red = v2::Widget::new("a", v2::WidgetSpec { size: 1, color: "red".into() });
    /// let lost = conversion.check_round_trips(&red).unwrap_err();
    /// assert_eq!(lost.reason, "back in example.com/v2, it differs at /spec/color");
    /// ```
    ///
    /// # Errors
    /// Names the version to which the object could not be converted without a loss, and the first
    /// field that differs; or the reason why a conversion fails.
    pub fn check_round_trips(&self, object: &impl Serialize) -> Result<(), ConversionError> {
        let fails = |object: &Value, to: &str, reason: String| {
            let nothing = serde_json::Map::new();
            ConversionError::new(object.as_object().unwrap_or(&nothing), to, &reason)
        };
        let object = serde_json::to_value(object)
            .map_err(|error| fails(&Value::Null, "JSON", error.to_string()))?;
        let own = object["apiVersion"].as_str().unwrap_or_default();
        for other in self.versions.keys().filter(|version| *version != own) {
            let back = self.convert(self.convert(object.clone(), other)?, own)?;
            if let Some(first) = json_patch::diff(&object, &back).first() {
                let reason = format!("back in {own}, it differs at {}", first.path());
                return Err(fails(&object, other, reason));
            }
        }
        Ok(())
    }
}
